import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { median } from '../object-path/phases.ts';
import type { Spent } from './read-spent.ts';

export interface Rounds {
  readonly warm: readonly Spent[];
  readonly cold: readonly Spent[];
  readonly clone: readonly number[];
}

/** Renders the rounds as a Markdown table, and under it how the figures came about. */
export function reportRounds(rounds: Rounds, files: number, backend: string): string {
  const git = execFileSync('git', ['version'], { encoding: 'utf8' }).trim();
  const clone = median(rounds.clone);
  const ratio = (spent: readonly Spent[]): string =>
    `**${(clone / median(spent.map(each => each.pushed))).toFixed(1)}x**`;
  return [
    `${files} files, queue: ${backend}, ${git}, Node ${process.version}, ${availableParallelism()} cores; ` +
      `${rounds.clone.length} rounds after a warm-up, interleaved; medians in milliseconds (lowest - highest)`,
    '',
    '| way | from the webhook, until | ms |',
    '| --- | --- | --- |',
    ...rowsOf('warm store', rounds.warm),
    ...rowsOf('cold store', rounds.cold),
    `| clone --depth 1, edit, commit, push | the push is answered | ${spread(rounds.clone)} |`,
    '',
    `Clone against comment to commit: ${ratio(rounds.warm)} with a warm store, ${ratio(rounds.cold)} with a cold one.`,
    '',
    HOW,
  ].join('\n');
}

const HOW =
  "Read from the forge's log of requests. Git's conversations reach from the first request of a `git fetch`, " +
  '`ls-remote` or `push` to the end of its last answer; REST is the time the forge took to answer outside of them, ' +
  'the acknowledgement left out; overlaps count once. Our own share is all the rest, the start and end of ' +
  'git processes and the way of every request included.';

function rowsOf(way: string, rounds: readonly Spent[]): string[] {
  const row = (what: string, pick: (spent: Spent) => number): string =>
    `| ${way} | ${what} | ${spread(rounds.map(pick))} |`;
  const count = (pick: (spent: Spent) => number): string => median(rounds.map(pick)).toFixed(0);
  return [
    row('**the commit is pushed**', spent => spent.pushed),
    row(`of it: git's ${count(each => each.conversations)} conversations with the forge`, spent => spent.git),
    row(`of it: the forge answers ${count(each => each.restRequests)} REST requests`, spent => spent.rest),
    row('of it: **our own share**', spent => spent.own),
    row('of it: our own share and what git does between its requests', spent => spent.ownWithGit),
    row('the terminal reaction', spent => spent.told),
  ];
}

function spread(numbers: readonly number[]): string {
  return `${median(numbers).toFixed(0)} (${Math.min(...numbers).toFixed(0)} - ${Math.max(...numbers).toFixed(0)})`;
}
