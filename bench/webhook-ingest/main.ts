// How fast is a webhook taken (verified, its jobs durable, answered), beside Probot with an empty handler?
// npm run build && npx tsx bench/webhook-ingest/main.ts [seconds=10]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, deliveryMaker, TALK } from './make-delivery.ts';
import { readCpuTime } from './read-cpu-time.ts';
import { type Measured, reportWays } from './report-ways.ts';
import { sendAtRate, sendInLoop } from './send-deliveries.ts';
import { type Server, startBareProbot, startWeb } from './start-servers.ts';

const ROUNDS = 5;
const PER_SECOND = 200;

const seconds = Number(process.argv[2] ?? 10);
if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > 60)
  throw new Error('give the seconds, 1 to 60');
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

interface Way extends Measured {
  readonly server: Server;
  readonly make: ReturnType<typeof deliveryMaker>;
}

async function measure(web: Server, bare: Server): Promise<void> {
  const [command, talk] = [deliveryMaker(COMMAND), deliveryMaker(TALK)];
  const ways: Way[] = [
    { name: 'web process, a command: its jobs durable in Redis', server: web, make: command },
    { name: 'web process, a comment without a command', server: web, make: talk },
    { name: 'bare Probot, empty handler', server: bare, make: command },
  ].map(way => ({ ...way, rates: [], cpu: [], latencies: [] }));
  for (const way of ways) await loop(way, 1);
  for (const way of ways) way.rates.length = way.cpu.length = 0; // the first round warms all up
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of round % 2 === 0 ? ways : [...ways].reverse()) await loop(way, seconds / ROUNDS);
  }
  for (const { latencies, server, make } of ways)
    latencies.push(...(await sendAtRate(server, make, { perSecond: PER_SECOND, seconds })));
  console.log(reportWays(ways, { seconds, rounds: ROUNDS, perSecond: PER_SECOND }));
}

async function loop({ server, make, rates, cpu }: Way, forSeconds: number): Promise<void> {
  const before = readCpuTime(server.pid);
  const sent = await sendInLoop(server, make, forSeconds);
  rates.push(sent.taken / sent.seconds);
  cpu.push((readCpuTime(server.pid) - before) / sent.taken);
}
