import { openBatchReader } from '../../src/git/batch-reader.ts';
import { fetchCommit } from '../../src/git/fetch-commit.ts';
import { openGitSnapshot } from '../../src/git/git-snapshot.ts';
import type { CommitId } from '../../src/git/object-id.ts';
import type { ObjectStore } from '../../src/git/object-store.ts';
import { createPrivateRepository } from '../../src/git/private-repository.ts';
import { pushRefs } from '../../src/git/push.ts';
import type { Remote } from '../../src/git/remote.ts';
import { writeCommits } from '../../src/git/write-commit.ts';
import { repoPath } from '../../src/snapshot/repo-path.ts';
import type { Edit } from './edit-big-skill.ts';
import { type Phases, timed } from './phases.ts';

/** The phases whose time is git's and the network's, not ours. */
export const GITS_OWN: ReadonlySet<string> = new Set(['fetch', 'push']);

export interface ObjectPathWork {
  readonly parent: string;
  readonly store: ObjectStore;
  readonly remote: Remote;
  readonly branch: string;
  readonly head: CommitId;
  readonly run: string;
  readonly edit: Edit;
}

/** One run as the product does it: from the head of a pull request to a pushed commit and run ref. */
export async function runObjectPath(work: ObjectPathWork): Promise<Phases> {
  const { store, remote, head } = work;
  const phases: Phases = new Map();
  const mine = await timed(phases, 'private repository', () =>
    createPrivateRepository(store, { parent: work.parent }),
  );
  const fetched = await timed(phases, 'fetch', () => fetchCommit(mine, remote, head));
  if (fetched.kind !== 'fetched') throw new Error(`the head is ${fetched.kind}`);
  const changes = await timed(phases, 'read and edit', async () => {
    const reader = openBatchReader(mine);
    const planned = await work.edit(openGitSnapshot({ reader, commit: head }));
    await reader.close();
    return planned;
  });
  const [result, evidence] = await timed(phases, 'commit', () => {
    const author = { name: 'bench', email: 'bench@example.com', at: new Date() };
    const verdict = Buffer.from('{"status":"ok"}\n');
    const file = {
      kind: 'put',
      path: repoPath('verdict.json'),
      bytes: verdict,
      mode: '100644',
      expected: null,
    } as const;
    const common = { author, committer: author };
    return writeCommits(mine, [
      { ...common, parent: head, message: `docs: extract\n\nSkillkeeper-Run: ${work.run}\n`, changes },
      { ...common, parent: null, message: `run ${work.run}`, changes: [file] },
    ]);
  });
  const pushed = await timed(phases, 'push', () =>
    pushRefs(mine, remote, [
      { ref: `refs/heads/${work.branch}`, to: result ?? null, expected: head },
      { ref: `refs/skillkeeper/runs/${work.run}`, to: evidence ?? null, expected: null },
    ]),
  );
  if (pushed.kind !== 'pushed') throw new Error(`the push was ${pushed.kind}`);
  await timed(phases, 'clean up', () => mine.remove());
  return phases;
}
