import { GitFault } from './git-fault.ts';

/** One changed path: blob ids before and after, null where nothing stood or stands, and the new mode. */
export interface DiffEntry {
  readonly before: string | null;
  readonly after: string | null;
  readonly mode: string;
}

const HEADER = /^:\d{6} (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [ADMT]$/;

/** Reads `git diff-tree -r -z --raw --no-renames`: a header and a path for each change, each ended by NUL. */
export function readRawDiff(output: Buffer): Map<string, DiffEntry> {
  const fields = output.toString('utf8').split('\0');
  const entries = new Map<string, DiffEntry>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, before, after] = HEADER.exec(fields[at] ?? '') ?? [];
    const path = fields[at + 1];
    if (mode === undefined || before === undefined || after === undefined || path === undefined) {
      throw new GitFault('git-bad-output', `git diff-tree wrote something else than a change: ${fields[at]}`);
    }
    entries.set(path, { mode, before: orNull(before), after: orNull(after) });
  }
  return entries;
}

function orNull(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}
