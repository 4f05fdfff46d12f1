import { createTwoFilesPatch } from 'diff';
import type { ChangeSet } from './change-set.ts';
import type { Snapshot } from './snapshot.ts';

const CONTEXT_LINES = 3;

/** What a change set writes, as a unified diff against the snapshot it was planned on. */
export async function diffChanges(snapshot: Snapshot, changes: ChangeSet): Promise<string> {
  let diff = '';
  for (const change of changes) {
    if (change.kind !== 'put') continue;
    const before = change.expected === null ? undefined : await snapshot.read(change.path);
    diff += createTwoFilesPatch(
      change.expected === null ? '/dev/null' : `a/${change.path}`,
      `b/${change.path}`,
      decode(before),
      decode(change.bytes),
      undefined,
      undefined,
      { context: CONTEXT_LINES },
    ).replace(/^=+\n/u, '');
  }
  return diff;
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
