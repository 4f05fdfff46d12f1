import { computeBlobId } from './blob-id.ts';
import { listChildren } from './list-children.ts';
import type { RepoPath } from './repo-path.ts';
import type { Entry, EntryMode, Snapshot } from './snapshot.ts';

/** A file to put into a memory snapshot: its bytes (of a symlink the text of its link) and its mode. */
export interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly mode: EntryMode;
}

/** A snapshot of files held in memory. The map is copied; the bytes are not. */
export function createMemorySnapshot(files: ReadonlyMap<RepoPath, MemoryFile>): Snapshot {
  const held = new Map(files);
  const entries: Entry[] = [...held.keys()]
    .sort(byCodeUnits)
    .map(path => ({ path, mode: held.get(path)?.mode ?? '100644' }));
  const read = async (path: RepoPath) => held.get(path)?.bytes;
  return {
    list: async () => entries,
    children: async folder => listChildren(entries, folder),
    read,
    blobId: async path => {
      const bytes = await read(path);
      return bytes && computeBlobId(bytes);
    },
  };
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
