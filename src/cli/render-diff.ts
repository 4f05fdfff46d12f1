import { createTwoFilesPatch } from 'diff';
import { decodeUtf8 } from '../markdown/decode-text.ts';
import type { ChangeSet } from '../snapshot/change-set.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { colourFor } from './colour.ts';
import type { Terminal } from './terminal.ts';

const CONTEXT_LINES = 3;

/** A change set as a unified diff against the snapshot it was planned on, coloured for a terminal. */
export async function renderDiff(
  snapshot: Snapshot,
  changes: ChangeSet,
  terminal: Terminal,
): Promise<string> {
  let diff = '';
  for (const change of changes) {
    if (change.kind !== 'put') continue;
    const before = change.expected === null ? new Uint8Array() : await snapshot.read(change.path);
    diff += createTwoFilesPatch(
      change.expected === null ? '/dev/null' : `a/${change.path}`,
      `b/${change.path}`,
      decodeUtf8(before ?? new Uint8Array()),
      decodeUtf8(change.bytes),
      undefined,
      undefined,
      { context: CONTEXT_LINES },
    ).replace(/^=+\n/u, '');
  }
  return colourLines(diff, terminal);
}

function colourLines(diff: string, terminal: Terminal): string {
  const colour = colourFor(terminal);
  return diff
    .split('\n')
    .map(line => {
      if (line.startsWith('--- ') || line.startsWith('+++ ')) return colour.bold(line);
      if (line.startsWith('@@')) return colour.cyan(line);
      if (line.startsWith('+')) return colour.green(line);
      return line.startsWith('-') ? colour.red(line) : line;
    })
    .join('\n');
}
