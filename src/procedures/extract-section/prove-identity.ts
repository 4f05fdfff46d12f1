const LF = 0x0a;

export interface Move {
  /** The target before the move. */
  readonly before: Uint8Array;
  /** The bytes `start`..`end` (0-based, `end` exclusive) of `before` that moved. */
  readonly start: number;
  readonly end: number;
  readonly header: Uint8Array;
  /** The reference file as it will be written. */
  readonly reference: Uint8Array;
  /** The target as it will be written. */
  readonly after: Uint8Array;
}

/**
 * Proves on the final bytes that nothing was lost: what stands in the reference after the header's lines is the
 * moved text to the byte, and putting it back in the place of the skeleton gives the original target.
 * Source: seed `extract-section`, Process step 6 (`K`, `tail -n +<K+1>`, `diff`).
 */
export function proveIdentity({
  before,
  start,
  end,
  header,
  reference,
  after,
}: Move): 'identical' | 'mismatch' {
  const moved = tailAfterLines(reference, countLineFeeds(header));
  const isMovedWhole = Buffer.compare(moved, before.subarray(start, end)) === 0;
  const skeletonEnd = after.length - (before.length - end);
  if (skeletonEnd < start) return 'mismatch';
  const putBack = Buffer.concat([after.subarray(0, start), moved, after.subarray(skeletonEnd)]);
  return isMovedWhole && Buffer.compare(putBack, before) === 0 ? 'identical' : 'mismatch';
}

function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === LF) count += 1;
  return count;
}

function tailAfterLines(bytes: Uint8Array, count: number): Uint8Array {
  let at = 0;
  for (let seen = 0; seen < count; seen += 1) {
    const feed = bytes.indexOf(LF, at);
    if (feed < 0) return bytes.subarray(bytes.length);
    at = feed + 1;
  }
  return bytes.subarray(at);
}
