import type { Forge, RepositoryFacts } from '../forge/forge.ts';
import { type BatchReader, openBatchReader } from '../git/batch-reader.ts';
import { fetchCommit } from '../git/fetch-commit.ts';
import { isStoreEmpty } from '../git/is-store-empty.ts';
import type { CommitId } from '../git/object-id.ts';
import { openObjectStore } from '../git/object-store.ts';
import { createPrivateRepository, type PrivateRepository } from '../git/private-repository.ts';
import { readRemoteRefs } from '../git/read-remote-refs.ts';
import type { RefName } from '../git/ref-name.ts';
import { refreshObjectStore } from '../git/refresh-object-store.ts';
import type { Remote } from '../git/remote.ts';
import type { RunDependencies } from './run-dependencies.ts';
import { privateFolder } from './sweep-private-repositories.ts';

/** Leave to push, for one push. */
export interface WriteAccess {
  readonly remote: Remote;
  readonly release: () => Promise<void>;
}

/** One run's private view of a repository. */
export interface Session {
  readonly repository: PrivateRepository;
  readonly reader: BatchReader;
  /** Where a ref of the remote stands now; undefined when there is none, `gone` when the repository is. */
  readonly remoteRef: (ref: string) => Promise<CommitId | undefined | 'gone'>;
  /** Brings a commit into the private repository. */
  readonly fetch: (commit: CommitId, into: 'head' | 'evidence') => Promise<'fetched' | 'gone'>;
  /** Asks for a fresh token that may write; what it gives must be released. */
  readonly writeAccess: () => Promise<WriteAccess>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a private repository that borrows from this machine's store of the repository, which is filled first
 * when it is still empty. Every phase of git gets a token of its own, for this repository and `contents` alone.
 */
export async function openSession(
  forge: Forge,
  facts: RepositoryFacts,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<Session> {
  const { dataDirectory, gitHost } = dependencies;
  const [read, store] = await Promise.all([
    forge.gitToken('read'),
    openObjectStore({ dataDirectory, host: gitHost, repositoryId: facts.id }),
  ]);
  const remote = dependencies.remoteFor(facts, read.token);
  if (await isStoreEmpty(store))
    await refreshObjectStore(store, remote, [`refs/heads/${facts.defaultBranch}`], { signal });
  const repository = await createPrivateRepository(store, { parent: privateFolder(dataDirectory) });
  const reader = openBatchReader(repository, { signal });
  return {
    repository,
    reader,
    remoteRef: async ref => {
      const answer = await readRemoteRefs(repository, remote, [ref], { signal });
      return answer.kind === 'gone' ? 'gone' : answer.refs.get(ref as RefName);
    },
    fetch: async (commit, into) =>
      (await fetchCommit(repository, remote, commit, { into: `refs/run/${into}`, signal })).kind,
    writeAccess: async () => {
      const { token, release } = await forge.gitToken('write');
      return { remote: dependencies.remoteFor(facts, token), release };
    },
    close: async () => {
      await reader.close().catch(() => undefined); // a reader that died has nothing left to close
      await repository.remove();
      await read.release();
    },
  };
}
