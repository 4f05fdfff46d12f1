import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from './object-store.ts';

/** True for a store that holds no objects yet: it was just made, or never refreshed. */
export async function isStoreEmpty(store: ObjectStore): Promise<boolean> {
  const names = await readdir(join(store.gitDirectory, 'objects'));
  const packs = await readdir(join(store.gitDirectory, 'objects', 'pack'));
  return packs.length === 0 && names.every(name => name === 'info' || name === 'pack');
}
