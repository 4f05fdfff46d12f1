import type { LineEntry } from './backend.ts';

/** What is stored of a place in the line, beside the job it belongs to. */
export interface StoredEntry {
  readonly commentId: number;
  readonly commandIndex: number;
  readonly joinedAt: number;
}

/** Sorts by comment, then by the command's place in it. GitHub's comment ids only ever grow. */
export function inCommentOrder<E extends LineEntry>(entries: readonly E[]): E[] {
  return [...entries].sort(
    (a, b) => a.commentId - b.commentId || a.commandIndex - b.commandIndex || (a.jobId < b.jobId ? -1 : 1),
  );
}
