import type { Reaction } from '../forge/forge.ts';

/**
 * How a run ends. `summary` is one line of Markdown for the table of runs; `answer` the reply to the command,
 * and `verdict`, where there is one, the JSON object at its end.
 * `gone`: there is nothing left to work on (closed, deleted); `stale`: the head moved on.
 */
export interface RunOutcome {
  readonly kind: 'done' | 'noop' | 'refused' | 'stale' | 'gone' | 'failed';
  readonly summary: string;
  readonly answer: string;
  readonly verdict?: object;
}

/** The state mark of a row. */
export const MARKS: Readonly<Record<RunOutcome['kind'] | 'working', string>> = {
  working: '\u23f3',
  done: '\u2705',
  noop: '\u2796',
  refused: '\u26d4',
  stale: '\u26d4',
  gone: '\u26d4',
  failed: '\u26d4',
};

/** The one terminal reaction of a run. */
export function reactionOf(kind: RunOutcome['kind']): Reaction {
  if (kind === 'done') return 'rocket';
  return kind === 'noop' ? '+1' : 'confused';
}

/** A run that ended without doing anything, in words: what happened first, why second, what to do third. */
export function notDone(kind: Exclude<RunOutcome['kind'], 'done' | 'noop'>, text: string): RunOutcome {
  return { kind, summary: text, answer: `${MARKS[kind]} Not done: ${text}` };
}
