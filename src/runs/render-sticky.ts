import { MARKS, type RunOutcome } from './run-outcome.ts';
import { shortRunId } from './run-request.ts';

/** One run in the table of runs. */
export interface StickyRow {
  readonly runId: string;
  readonly state: RunOutcome['kind'] | 'working';
  /** The command as it was given, and by whom. */
  readonly command: string;
  readonly login: string;
  /** One line of Markdown, already escaped. */
  readonly summary: string;
}

const MOST_ROWS = 20;
const ROW = /^\| \S+ \| `[0-9a-f]+`<!-- ([0-9a-f]{32}) --> \|.*\|$/u;
const HEAD = ['### Skillkeeper', '', '| | run | what | result |', '| --- | --- | --- | --- |'];

/**
 * The table of runs with one row put in: a run already there is replaced in its place, a new one goes on top.
 * `before` is the sticky comment as it stands, or undefined.
 */
export function renderRows(before: string | undefined, row: StickyRow): string {
  const lines = (before ?? '').split(/\r?\n/u).filter(line => ROW.test(line));
  const at = lines.findIndex(line => ROW.exec(line)?.[1] === row.runId);
  const line = renderRow(row);
  const rows = at < 0 ? [line, ...lines] : lines.with(at, line);
  return [...HEAD, ...rows.slice(0, MOST_ROWS)].join('\n');
}

function renderRow({ runId, state, command, login, summary }: StickyRow): string {
  const result = summary.replace(/\s*[\r\n]+\s*/gu, ' ');
  return `| ${MARKS[state]} | \`${shortRunId(runId)}\`<!-- ${runId} --> | \`${command}\` by @${login} | ${escapePipes(result)} |`;
}

// In a table even a code span ends at a pipe that is not escaped.
function escapePipes(text: string): string {
  return text.replace(/\\?\|/gu, '\\|');
}
