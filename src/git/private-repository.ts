import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type GitRepository, layOutBareRepository } from './bare-repository.ts';
import type { ObjectFormat } from './object-id.ts';
import type { ObjectStore } from './object-store.ts';

/** One run's own repository. What it fetches and writes is seen by no other run. */
export interface PrivateRepository extends GitRepository {
  /** Removes it with everything in it; may be called twice. */
  readonly remove: () => Promise<void>;
}

export interface PrivateRepositoryOptions {
  /** Where to make it; the system's temporary folder when left out. */
  readonly parent?: string;
  /** Without a store; with one, the store's format counts. */
  readonly objectFormat?: ObjectFormat;
}

/** Makes an empty bare repository that borrows the store's objects, or stands alone without one. */
export async function createPrivateRepository(
  store: ObjectStore | undefined,
  options: PrivateRepositoryOptions = {},
): Promise<PrivateRepository> {
  const gitDirectory = await mkdtemp(join(resolve(options.parent ?? tmpdir()), 'skillkeeper-run-'));
  const format = store?.objectFormat ?? options.objectFormat ?? 'sha1';
  const repository = await layOutBareRepository(gitDirectory, format, store);
  // git may still be writing a file when it was stopped half-way: look again instead of failing.
  const remove = () => rm(gitDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return { ...repository, remove };
}
