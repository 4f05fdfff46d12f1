// How long from a comment to its commit, with the real app on a real queue, beside a shallow clone?
// npm run build && npx tsx bench/comment-to-commit/main.ts [files=20000] [redis|embedded]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBatchReader } from '../../src/git/batch-reader.ts';
import { openGitSnapshot } from '../../src/git/git-snapshot.ts';
import { commitId } from '../../src/git/object-id.ts';
import type { ChangeSet } from '../../src/snapshot/change-set.ts';
import { editBigSkill } from '../object-path/edit-big-skill.ts';
import { type BenchApp, type BenchStage, openBenchStage, REPO } from './open-bench-stage.ts';
import type { Spent } from './read-spent.ts';
import { reportRounds } from './report-rounds.ts';
import { runByClone } from './run-by-clone.ts';
import { runByComment } from './run-by-comment.ts';

const ROUNDS = 5;

const files = Number(process.argv[2] ?? 20_000);
const backend = process.argv[3] ?? 'redis';
if (!Number.isSafeInteger(files) || files < 10) throw new Error('give the number of files, 10 or more');
if (backend !== 'redis' && backend !== 'embedded') throw new Error('give the queue, redis or embedded');
const root = mkdtempSync(join(tmpdir(), 'skillkeeper-bench-'));
try {
  const stage = await openBenchStage(root, files);
  try {
    await measure(stage, backend);
  } finally {
    await stage.close();
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function measure(stage: BenchStage, queue: 'redis' | 'embedded'): Promise<void> {
  const kept = await stage.startApp(queue); // its data directory stays: warm from the second round on
  const changes = await planOnMain(stage);
  const [warm, cold, clone]: [Spent[], Spent[], number[]] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const readme = `Round ${round}\n`;
    const folder = join(root, `clone-${round}`);
    const works = [
      async () => warm.push(await runOn(kept, stage, `warm-${round}`, readme)),
      async () => {
        const fresh = await stage.startApp(queue);
        cold.push(await runOn(fresh, stage, `cold-${round}`, readme));
        await fresh.stop();
      },
      async () => clone.push(await runByClone(stage, { branch: `clone-${round}`, readme, changes, folder })),
    ];
    for (const work of rotate(works, round)) await work(); // none always goes first
    await assertSameTree(stage, round);
  }
  const [, ...warmRounds] = warm; // the first round warms all up
  console.log(reportRounds({ warm: warmRounds, cold: cold.slice(1), clone: clone.slice(1) }, files, queue));
}

async function runOn(app: BenchApp, stage: BenchStage, branch: string, readme: string): Promise<Spent> {
  app.listen();
  try {
    return await runByComment(stage, branch, readme);
  } catch (cause) {
    const answers = stage.twin.deliveries.slice(-5).map(({ event, status }) => `${event}: ${status}`);
    const why = `the command on ${branch} failed. Last deliveries: ${answers.join(', ')}. The app said\n${app.output()}`;
    throw new Error(why, { cause });
  }
}

function rotate<T>(works: readonly T[], by: number): readonly T[] {
  const first = by % works.length;
  return [...works.slice(first), ...works.slice(0, first)];
}

/** The change, planned once for the clone, so that it pays for writing alone. */
async function planOnMain({ twin }: BenchStage): Promise<ChangeSet> {
  const reader = openBatchReader({ gitDirectory: twin.pathOf(REPO), objectFormat: 'sha1' });
  const commit = commitId(await twin.head(REPO, 'main'));
  const changes = await editBigSkill(openGitSnapshot({ reader, commit }));
  await reader.close();
  return changes;
}

/** All ways must have pushed one commit with the same files; a figure for different work would mean nothing. */
async function assertSameTree({ twin }: BenchStage, round: number): Promise<void> {
  const tips = await Promise.all(['warm', 'cold', 'clone'].map(way => twin.commits(REPO, `${way}-${round}`)));
  const trees = new Set(tips.map(commits => commits[0]?.tree));
  const parents = new Set(tips.map(commits => commits[1]?.tree));
  if (trees.size !== 1 || parents.size !== 1 || tips.some(commits => commits.length !== 3))
    throw new Error(`the ways pushed different trees: ${[...trees].join(', ')}`);
}
