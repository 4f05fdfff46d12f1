import { createMemorySnapshot, type MemoryFile } from '../../src/snapshot/memory-snapshot.ts';
import type { RepoPath } from '../../src/snapshot/repo-path.ts';
import type { EntryMode, Snapshot } from '../../src/snapshot/snapshot.ts';

/** What a test says of a file: its text or bytes, or `{mode, text}` for a symlink, a submodule, an executable. */
export type FileOf = string | Uint8Array | { readonly mode: EntryMode; readonly text: string };

/** A memory snapshot of files given by path. */
export function makeSnapshot(files: Readonly<Record<string, FileOf>>): Snapshot {
  const entries = Object.entries(files).map(
    ([path, file]) => [path as RepoPath, toMemoryFile(file)] as const,
  );
  return createMemorySnapshot(new Map(entries));
}

function toMemoryFile(file: FileOf): MemoryFile {
  if (typeof file === 'string') return { bytes: Buffer.from(file), mode: '100644' };
  if (file instanceof Uint8Array) return { bytes: file, mode: '100644' };
  return { bytes: Buffer.from(file.text), mode: file.mode };
}
