import type { ChangeSet } from '../snapshot/change-set.ts';
import { diffChanges } from '../snapshot/diff-changes.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { colourFor } from './colour.ts';
import type { Terminal } from './terminal.ts';

/** A change set as a unified diff, coloured for a terminal. */
export async function renderDiff(
  snapshot: Snapshot,
  changes: ChangeSet,
  terminal: Terminal,
): Promise<string> {
  const colour = colourFor(terminal);
  const diff = await diffChanges(snapshot, changes);
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
