// How fast is a webhook taken (verified, its jobs durable, answered), beside Probot with an empty handler?
// npm run build && npx tsx bench/webhook-ingest/main.ts [seconds=10]
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../object-path/phases.ts';
import { deliveryMaker } from './make-delivery.ts';
import { sendAtRate, sendInLoop, type Target } from './send-deliveries.ts';
import { startBareProbot, startWeb } from './start-servers.ts';

const ROUNDS = 5;
const PER_SECOND = 200;

const seconds = Number(process.argv[2] ?? 10);
if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > 60)
  throw new Error('give the seconds, 1 to 60');
const make = deliveryMaker();
const root = mkdtempSync(join(tmpdir(), 'skillkeeper-bench-'));
try {
  const web = await startWeb(root);
  try {
    const bare = await startBareProbot();
    await measure(web, bare).finally(bare.stop);
  } finally {
    await web.stop();
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function measure(web: Target, bare: Target): Promise<void> {
  const window = seconds / ROUNDS;
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const works = [
      async () => ours.push(await sendInLoop(web, make, window)),
      async () => theirs.push(await sendInLoop(bare, make, window)),
    ];
    for (const work of round % 2 === 0 ? works : works.reverse()) await work(); // neither always goes first
  }
  const paced = { perSecond: PER_SECOND, seconds };
  const latencies = [await sendAtRate(web, make, paced), await sendAtRate(bare, make, paced)] as const;
  report(latencies, [ours.slice(1), theirs.slice(1)]); // the first round warms both up
}

type Pair = readonly [ours: readonly number[], theirs: readonly number[]];

function report([ourLatencies, theirLatencies]: Pair, [ours, theirs]: Pair): void {
  const setting = `${seconds} s, Node ${process.version}, ${availableParallelism()} cores`;
  const row = (name: string, latencies: readonly number[], rates: readonly number[]): string =>
    `| ${[name, quantile(latencies, 0.5), quantile(latencies, 0.99), quantile(latencies, 1), spread(rates)].join(' | ')} |`;
  console.log(
    [
      `${setting}; ${ROUNDS} rounds after a warm-up, interleaved; medians (lowest - highest)`,
      '',
      `| webhooks to | p50 at ${PER_SECOND}/s, ms | p99, ms | slowest, ms | most a second |`,
      '| --- | --- | --- | --- | --- |',
      row('web process, jobs durable in Redis', ourLatencies, ours),
      row('bare Probot, empty handler', theirLatencies, theirs),
      '',
      `Ours against bare Probot: **${(median(ours) / median(theirs)).toFixed(2)}** of its throughput.`,
    ].join('\n'),
  );
}

function quantile(values: readonly number[], q: number): string {
  return ([...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? Number.NaN).toFixed(1);
}

function spread(numbers: readonly number[]): string {
  return `${median(numbers).toFixed(0)} (${Math.min(...numbers).toFixed(0)} - ${Math.max(...numbers).toFixed(0)})`;
}
