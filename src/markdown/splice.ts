/** A replacement of the bytes `start`..`end` (0-based, `end` exclusive); an insertion when both are equal. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

/**
 * Applies edits to a file, every byte outside them kept. Edits are given in order and do not overlap; offsets
 * are those of the original. Throws a RangeError for edits out of order or outside the file.
 */
export function spliceBytes(original: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const edit of edits) {
    if (edit.start < at || edit.end < edit.start || edit.end > original.length) {
      throw new RangeError(`edit ${edit.start}..${edit.end} overlaps another or leaves the file`);
    }
    pieces.push(original.subarray(at, edit.start), edit.bytes);
    at = edit.end;
  }
  pieces.push(original.subarray(at));
  return Buffer.concat(pieces);
}
