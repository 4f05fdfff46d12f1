// What does one run cost on the object path, beside a shallow clone of the same repository?
// npx tsx bench/object-path/main.ts [files=20000]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBatchReader } from '../../src/git/batch-reader.ts';
import { openGitSnapshot } from '../../src/git/git-snapshot.ts';
import { commitId } from '../../src/git/object-id.ts';
import { openObjectStore } from '../../src/git/object-store.ts';
import { refreshObjectStore } from '../../src/git/refresh-object-store.ts';
import { remoteOf } from '../../src/git/remote.ts';
import { editBigSkill } from './edit-big-skill.ts';
import { type Forge, makeForge, TOKEN } from './make-forge.ts';
import { median, type Phases, total } from './phases.ts';
import { runClone } from './run-clone.ts';
import { GITS_OWN, runObjectPath } from './run-object-path.ts';

const ROUNDS = 5;
const edit = editBigSkill;

const files = Number(process.argv[2] ?? 20_000);
if (!Number.isSafeInteger(files) || files < 10) throw new Error('give the number of files, 10 or more');
const root = mkdtempSync(join(tmpdir(), 'skillkeeper-bench-'));
try {
  await measure(await makeForge(root, files));
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measure(forge: Forge): Promise<void> {
  try {
    const { origin } = forge.server;
    const remote = remoteOf({ url: forge.url, token: TOKEN, loopbackHttpOrigin: origin });
    const host = new URL(origin).host;
    const store = await openObjectStore({ dataDirectory: join(root, 'data'), host, repositoryId: 1 });
    await refreshObjectStore(store, remote, ['refs/heads/main']);
    const changes = await planOnMain(forge);
    const objects: Phases[] = [];
    const clones: Phases[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [ours, theirs] = [`ours-${round}`, `clone-${round}`];
      const head = commitId(forge.openPullRequest(ours));
      forge.repository.git('branch', theirs, head);
      const run = `run-${round}`;
      const works = [
        async () =>
          objects.push(await runObjectPath({ parent: root, store, remote, branch: ours, head, run, edit })),
        async () => clones.push(await runClone({ parent: root, url: forge.url, branch: theirs, changes })),
      ];
      for (const work of round % 2 === 0 ? works : works.reverse()) await work(); // neither always goes first
      assertSameTree(forge, ours, theirs);
    }
    report(objects.slice(1), clones.slice(1)); // the first round warms both up
  } finally {
    await forge.server.close();
  }
}

/** The change, planned once for the clone path, so that it pays for writing alone. */
async function planOnMain(forge: Forge) {
  const reader = openBatchReader({ gitDirectory: forge.repository.gitDirectory, objectFormat: 'sha1' });
  const commit = commitId(forge.repository.git('rev-parse', 'main'));
  const changes = await edit(openGitSnapshot({ reader, commit }));
  await reader.close();
  return changes;
}

/** Both ways must have pushed the same files; a figure for different work would mean nothing. */
function assertSameTree(forge: Forge, ours: string, theirs: string): void {
  const [a, b] = [ours, theirs].map(branch => forge.repository.git('rev-parse', `${branch}^{tree}`));
  const [base] = [ours].map(branch => forge.repository.git('rev-parse', `${branch}^^{tree}`));
  if (a !== b || a === base) throw new Error(`the two ways pushed different trees: ${a} and ${b}`);
}

function report(objects: readonly Phases[], clones: readonly Phases[]): void {
  const gitVersion = execFileSync('git', ['version'], { encoding: 'utf8' }).trim();
  const setting = `${files} files, ${gitVersion}, Node ${process.version}, ${availableParallelism()} cores`;
  const own = objects.map(phases => total(new Map([...phases].filter(([name]) => !GITS_OWN.has(name)))));
  const ratio = median(clones.map(total)) / median(objects.map(total));
  console.log(
    [
      `${setting}; ${ROUNDS} rounds after a warm-up, interleaved; medians in milliseconds (lowest - highest)`,
      '',
      '| way | phase | ms |',
      '| --- | --- | --- |',
      ...rows('object path', objects),
      ...rows('clone', clones),
      '',
      `Object path against clone: **${ratio.toFixed(1)}x** faster. Our own share (all but git's fetch and push): **${spread(own)}**.`,
    ].join('\n'),
  );
}

function rows(way: string, rounds: readonly Phases[]): string[] {
  const names = [...(rounds[0]?.keys() ?? [])];
  const row = (name: string, numbers: readonly number[]): string =>
    `| ${way} | ${name} | ${spread(numbers)} |`;
  return [
    ...names.map(name =>
      row(
        name,
        rounds.map(phases => phases.get(name) ?? Number.NaN),
      ),
    ),
    row('**all**', rounds.map(total)),
  ];
}

function spread(numbers: readonly number[]): string {
  return `${median(numbers).toFixed(0)} (${Math.min(...numbers).toFixed(0)} - ${Math.max(...numbers).toFixed(0)})`;
}
