import { openObjectStore, removeObjectStore } from '../git/object-store.ts';
import { refreshObjectStore } from '../git/refresh-object-store.ts';
import type { RunDependencies } from './run-dependencies.ts';

/** Brings this machine's store of a repository up to its default branch, so that runs find it warm. */
export async function refreshStore(
  place: { readonly installationId: number; readonly repositoryId: number },
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<void> {
  const forge = await dependencies.openForge(place);
  const facts = await forge.repository();
  if (facts.kind === 'gone') return;
  const { token, release } = await forge.gitToken('read');
  try {
    const { dataDirectory, gitHost: host } = dependencies;
    const store = await openObjectStore({ dataDirectory, host, repositoryId: facts.value.id });
    const remote = dependencies.remoteFor(facts.value, token);
    await refreshObjectStore(store, remote, [`refs/heads/${facts.value.defaultBranch}`], { signal });
  } finally {
    await release();
  }
}

/** Removes what this machine keeps of a repository the app lost. */
export async function forgetStore(
  repositoryId: number,
  { dataDirectory, gitHost: host }: RunDependencies,
): Promise<void> {
  await removeObjectStore({ dataDirectory, host, repositoryId });
}
