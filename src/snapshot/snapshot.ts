import type { RepoPath } from './repo-path.ts';

/** Hexadecimal git object id of a blob: 40 digits (SHA-1) or 64 (SHA-256). */
export type BlobId = string & { readonly __brand: 'BlobId' };

/** Modes git knows, as git writes them: file, executable, symlink, submodule, folder. */
export type EntryMode = '100644' | '100755' | '120000' | '160000' | '040000';

export interface Entry {
  /** Whole path from the root of the tree. */
  readonly path: RepoPath;
  readonly mode: EntryMode;
}

/**
 * A tree of files at one moment, read-only. The same port over memory, a working directory and git objects.
 * Paths are compared byte for byte, whatever the file system below thinks of case.
 */
export interface Snapshot {
  /** Every file, symlink and submodule (no folders), in code unit order of the path. */
  readonly list: () => Promise<readonly Entry[]>;
  /**
   * What stands directly in a folder (`''` is the root), folders included; empty when there is no such folder.
   * Unlike `list` this shows everything that occupies a name: in a working directory ignored files too.
   */
  readonly children: (folder: RepoPath | '') => Promise<readonly Entry[]>;
  /**
   * The bytes of the blob at exactly this path (of a symlink: the text of its link, never what it points to);
   * undefined when no blob stands there.
   */
  readonly read: (path: RepoPath) => Promise<Uint8Array | undefined>;
  /** The git blob id of the bytes that `read` would give; undefined when no blob stands there. */
  readonly blobId: (path: RepoPath) => Promise<BlobId | undefined>;
}
