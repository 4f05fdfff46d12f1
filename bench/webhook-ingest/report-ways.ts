import { availableParallelism } from 'node:os';
import { median } from '../object-path/phases.ts';

/** One way of taking deliveries; every list has a figure for each round or delivery. */
export interface Measured {
  readonly name: string;
  /** Taken a second in a closed loop. */
  readonly rates: number[];
  /** Processor time of the process itself for one delivery, in milliseconds. */
  readonly cpu: number[];
  /** Milliseconds until the answer at the fixed rate. */
  readonly latencies: number[];
}

/** Renders the ways as a Markdown table, the last one being what the others are compared with. */
export function reportWays(
  ways: readonly Measured[],
  {
    seconds,
    rounds,
    perSecond,
  }: { readonly seconds: number; readonly rounds: number; readonly perSecond: number },
): string {
  const bare = median(ways.at(-1)?.rates ?? []);
  const rows = ways.map(({ name, rates, cpu, latencies }) => {
    const quantiles = [0.5, 0.99, 1].map(q => quantile(latencies, q).toFixed(1));
    const ratio = `**${(median(rates) / bare).toFixed(2)}**`;
    return `| ${[name, ...quantiles, spread(rates, 0), ratio, spread(cpu, 2)].join(' | ')} |`;
  });
  const setting = `${seconds} s, Node ${process.version}, ${availableParallelism()} cores`;
  return [
    `${setting}; ${rounds} rounds after a warm-up, interleaved; medians (lowest - highest)`,
    '',
    `| webhooks to | p50 at ${perSecond}/s, ms | p99, ms | slowest, ms | most a second | beside Probot | CPU each, ms |`,
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? Number.NaN;
}

function spread(numbers: readonly number[], digits: number): string {
  const [lowest, highest] = [Math.min(...numbers), Math.max(...numbers)];
  return `${median(numbers).toFixed(digits)} (${lowest.toFixed(digits)} - ${highest.toFixed(digits)})`;
}
