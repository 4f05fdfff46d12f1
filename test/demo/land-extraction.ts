import { join } from 'node:path';
import { openBatchReader } from '../../src/git/batch-reader.ts';
import { fetchCommit } from '../../src/git/fetch-commit.ts';
import { openGitSnapshot } from '../../src/git/git-snapshot.ts';
import { openObjectStore } from '../../src/git/object-store.ts';
import { createPrivateRepository } from '../../src/git/private-repository.ts';
import { pushRefs } from '../../src/git/push.ts';
import { refreshObjectStore } from '../../src/git/refresh-object-store.ts';
import { type Remote, remoteOf } from '../../src/git/remote.ts';
import { runGit } from '../../src/git/run-git.ts';
import { writeCommits } from '../../src/git/write-commit.ts';
import { composeCommitMessage } from '../../src/procedures/extract-section/compose-commit-message.ts';
import { extractSection } from '../../src/procedures/extract-section/extract-section.ts';
import type { ExtractRequest } from '../../src/procedures/extract-section/request.ts';
import type { Verdict } from '../../src/procedures/extract-section/verdict.ts';
import type { ChangeSet } from '../../src/snapshot/change-set.ts';
import { createMemorySnapshot } from '../../src/snapshot/memory-snapshot.ts';
import type { RepoPath } from '../../src/snapshot/repo-path.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { serveGit } from '../twin/serve-git.ts';
import type { DemoRemote } from './make-remote.ts';

const TOKEN = 'demo-token';
const PERSON = { name: 'skillkeeper demo', email: 'demo@skillkeeper.invalid' };

export interface Extraction {
  readonly folder: string;
  readonly root: string;
  readonly remote: DemoRemote;
  readonly request: ExtractRequest;
}

export type Landed =
  | { readonly kind: 'refused'; readonly verdict: Verdict }
  | {
      readonly kind: 'landed';
      readonly verdict: Verdict;
      readonly changes: ChangeSet;
      /** The touched files as they were. */
      readonly before: Snapshot;
      readonly branch: string;
      /** The commit as git shows it on the remote. */
      readonly log: string;
    };

/** The whole object path, once: store, private repository, fetch, extract, commit, leased push. */
export async function landExtraction({ folder, root, remote, request }: Extraction): Promise<Landed> {
  const server = await serveGit({ root, token: TOKEN });
  try {
    const url = server.urlOf(remote.name);
    const forge = remoteOf({ url, token: TOKEN, loopbackHttpOrigin: server.origin });
    const store = await openObjectStore({
      dataDirectory: join(folder, 'data'),
      host: new URL(url).host,
      repositoryId: 1,
    });
    await refreshObjectStore(store, forge, [`refs/heads/${remote.branch}`]);
    const repository = await createPrivateRepository(store, { parent: folder });
    return await extractAndPush(repository, forge, remote, request);
  } finally {
    await server.close();
  }
}

type Repository = Awaited<ReturnType<typeof createPrivateRepository>>;

async function extractAndPush(
  repository: Repository,
  forge: Remote,
  { branch, head, gitDirectory }: DemoRemote,
  request: ExtractRequest,
): Promise<Landed> {
  await fetchCommit(repository, forge, head);
  const reader = openBatchReader(repository);
  try {
    const snapshot = openGitSnapshot({ reader, commit: head });
    const outcome = await extractSection(snapshot, request);
    if (outcome.kind !== 'done') return { kind: 'refused', verdict: outcome.verdict };
    const { changes, verdict } = outcome;
    const person = { ...PERSON, at: new Date() };
    const message = composeCommitMessage(verdict);
    const [commit] = await writeCommits(repository, [
      { parent: head, author: person, committer: person, message, changes },
    ]);
    const pushed = await pushRefs(repository, forge, [
      { ref: `refs/heads/${branch}`, to: commit ?? null, expected: head },
    ]);
    if (pushed.kind !== 'pushed') throw new Error(`the push was ${pushed.kind}`);
    const shown = await runGit({
      directory: gitDirectory,
      gitDirectory,
      args: ['show', '--stat', `refs/heads/${branch}`],
    });
    return {
      kind: 'landed',
      verdict,
      changes,
      before: await keep(snapshot, changes),
      branch,
      log: shown.stdout.toString('utf8'),
    };
  } finally {
    await reader.close();
    await repository.remove();
  }
}

// The private repository is gone when the diff is shown.
async function keep(snapshot: Snapshot, changes: ChangeSet): Promise<Snapshot> {
  const kept = new Map<RepoPath, { bytes: Uint8Array; mode: '100644' }>();
  for (const change of changes) {
    if (change.kind !== 'put' || change.expected === null) continue;
    kept.set(change.path, { bytes: (await snapshot.read(change.path)) ?? new Uint8Array(), mode: '100644' });
  }
  return createMemorySnapshot(kept);
}
