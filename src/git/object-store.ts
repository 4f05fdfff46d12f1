import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type GitRepository, layOutBareRepository } from './bare-repository.ts';
import type { ObjectFormat } from './object-id.ts';

/** A bare repository kept between runs, with the full history of one repository; private ones borrow from it. */
export interface ObjectStore extends GitRepository {
  readonly __brand: 'ObjectStore';
}

export interface ObjectStoreOptions {
  /** The product's data folder (`SKILLKEEPER_DATA_DIR`): on this machine, not a shared volume. */
  readonly dataDirectory: string;
  /** Host of the forge as in its URLs, with a port where there is one. */
  readonly host: string;
  /** The forge's number for the repository: it survives a rename. */
  readonly repositoryId: number;
  readonly objectFormat?: ObjectFormat;
}

/**
 * Opens the object store of one repository, making an empty one the first time. Nothing in it is ever removed
 * or repacked by git (`gc.auto=0`), so that what a run borrows stays; it is never shallow, because a shallow
 * store breaks every borrower.
 */
export async function openObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const path = storePath(options);
  const objectFormat = await formatAt(path);
  if (objectFormat !== undefined) return { gitDirectory: path, objectFormat } as ObjectStore;
  await makeWhole(path, options.objectFormat ?? 'sha1');
  return { gitDirectory: path, objectFormat: (await formatAt(path)) ?? 'sha1' } as ObjectStore;
}

/** Removes the store of a repository that is none of ours any more; a run that borrows from it fails and is told so. */
export async function removeObjectStore(options: Omit<ObjectStoreOptions, 'objectFormat'>): Promise<void> {
  await rm(storePath(options), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

function storePath({ dataDirectory, host, repositoryId }: ObjectStoreOptions): string {
  if (!/^(?!\.)[a-z0-9.-]+(?::\d+)?$/.test(host)) throw new TypeError(`not a host: ${JSON.stringify(host)}`);
  if (!Number.isSafeInteger(repositoryId) || repositoryId < 1) {
    throw new TypeError(`not a repository id: ${repositoryId}`);
  }
  return join(resolve(dataDirectory), 'stores', host.replace(':', '+'), `${repositoryId}.git`);
}

async function formatAt(path: string): Promise<ObjectFormat | undefined> {
  const config = await readFile(join(path, 'config'), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
  if (config === undefined) return undefined;
  return config.includes('objectformat = sha256') ? 'sha256' : 'sha1';
}

/** Made aside and renamed into place: whoever opens a store sees a whole one or none. */
async function makeWhole(path: string, objectFormat: ObjectFormat): Promise<void> {
  const aside = `${path}.new-${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await mkdir(aside, { mode: 0o700 });
  await layOutBareRepository(aside, objectFormat);
  await rename(aside, path).catch(async (cause: NodeJS.ErrnoException) => {
    await rm(aside, { recursive: true, force: true });
    if (cause.code !== 'ENOTEMPTY' && cause.code !== 'EEXIST') throw cause; // another made it first: fine
  });
}
