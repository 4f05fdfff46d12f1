import type { RepoPath } from './repo-path.ts';
import type { BlobId } from './snapshot.ts';

/** A file to write. `expected` is the blob the plan was made on: null means nothing may stand there yet. */
export interface Put {
  readonly kind: 'put';
  readonly path: RepoPath;
  readonly bytes: Uint8Array;
  readonly mode: '100644' | '100755';
  readonly expected: BlobId | null;
}

/** A file to remove. */
export interface Delete {
  readonly kind: 'delete';
  readonly path: RepoPath;
  readonly expected: BlobId;
}

/** A file to move without touching its bytes or mode. Nothing may stand at `to` yet. */
export interface Move {
  readonly kind: 'move';
  readonly from: RepoPath;
  readonly to: RepoPath;
  readonly expected: BlobId;
}

export type Change = Put | Delete | Move;

/** What a procedure wants done, all of it or nothing. Each path is touched by at most one change. */
export type ChangeSet = readonly Change[];
