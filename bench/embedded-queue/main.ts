import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBackend } from '../../queues/open-backend.ts';
import { openQueues } from '../../queues/open-queues.ts';
import { shutDown } from '../../queues/shut-down.ts';
import { startWorkers } from '../../queues/start-workers.ts';

/*
 * What the queue costs: opening it, taking a job durably (the share of the 50 ms a webhook may take), and
 * working empty jobs. `tsx bench/embedded-queue/main.ts [redis-url]`; without an address the embedded queue.
 */

const PACED = 600;
const PER_SECOND = 200;
const FLOOD = 2000;

const redisUrl = process.argv[2];
const dataDir = await mkdtemp(join(tmpdir(), 'queue-bench-'));
const namespace = `bench-${process.pid}`;
const opened = performance.now();
let backend = await openBackend({ dataDir, redisUrl, namespace });
report('open, first time', performance.now() - opened);
if (redisUrl === undefined) {
  await backend.close();
  const again = performance.now();
  backend = await openBackend({ dataDir, redisUrl, namespace });
  report('open, again', performance.now() - again);
}
const queues = openQueues(backend);
let done = 0;
let wake: number[] = [];
const acknowledge = async (job: { commentId: number }) => {
  done++;
  wake.push(performance.now() - (sentAt.get(job.commentId) ?? 0));
};
const idle = async () => {};
const workers = startWorkers(
  backend,
  { acknowledge, run: idle, check: idle, maintain: idle },
  { onGivenUp: async () => {} },
);
const sentAt = new Map<number, number>();
const send = async (commentId: number) => {
  sentAt.set(commentId, performance.now());
  await queues.acknowledge({ installationId: 1, repositoryId: 1, commentId });
  return performance.now() - (sentAt.get(commentId) ?? 0);
};
for (let n = 1; n <= 50; n++) await send(n); // first statements are planned and compiled here
while (done < 50) await sleep(5);
wake = [];

const start = performance.now();
const paced = await Promise.all(
  Array.from({ length: PACED }, async (_, n) => {
    await sleep((n * 1000) / PER_SECOND);
    return send(1000 + n);
  }),
);
while (done < 50 + PACED) await sleep(5);
report(`job durable at ${PER_SECOND}/s, p50`, quantile(paced, 0.5));
report(`job durable at ${PER_SECOND}/s, p99`, quantile(paced, 0.99));
report('from enqueue to handler, p50', quantile(wake, 0.5));
report('from enqueue to handler, p99', quantile(wake, 0.99));
report('paced part took', performance.now() - start);

const flood = performance.now();
await Promise.all(Array.from({ length: FLOOD }, (_, n) => send(10_000 + n)));
while (done < 50 + PACED + FLOOD) await sleep(5);
console.log(
  `${'empty jobs a second'.padEnd(34)} ${Math.round(FLOOD / ((performance.now() - flood) / 1000))}`,
);
console.log(`${'peak memory'.padEnd(34)} ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
await shutDown({ workers, queues, backend }, 0);
if (existsSync(dataDir)) await rm(dataDir, { recursive: true, force: true });

function report(what: string, ms: number): void {
  console.log(`${what.padEnd(34)} ${ms.toFixed(1)} ms`);
}

function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? Number.NaN;
}
