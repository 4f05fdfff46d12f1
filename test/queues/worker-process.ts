import { setTimeout as sleep } from 'node:timers/promises';
import type { RunJob } from '../../queues/jobs.ts';
import { type BackendOptions, openBackend } from '../../queues/open-backend.ts';
import { openQueues } from '../../queues/open-queues.ts';
import { shutDown } from '../../queues/shut-down.ts';
import { startWorkers } from '../../queues/start-workers.ts';

/*
 * A worker of its own, for tests that end it in every way a process can end. Takes its settings as one JSON
 * argument and tells its parent what happens.
 */

export interface WorkerSettings {
  readonly backend: BackendOptions;
  /** How long a run takes, in milliseconds. */
  readonly runMs: number;
  readonly concurrency?: number;
  /** Every run fails for good. */
  readonly fails?: boolean;
  /** Telling the user takes for ever. */
  readonly hangsGivingUp?: boolean;
  readonly graceMs?: number;
  readonly lockMs?: number;
  readonly maxStalled?: number;
}

export type WorkerMessage =
  | { readonly kind: 'ready' | 'drained' }
  | { readonly kind: 'began' | 'ended' | 'stopped'; readonly runId: string; readonly attempt: number }
  | { readonly kind: 'giving-up'; readonly runId: string; readonly reason: string }
  | { readonly kind: 'enqueued'; readonly runId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

const settings = JSON.parse(process.argv[2] ?? '') as WorkerSettings;
const tell = (message: WorkerMessage) => process.send?.(message);

async function main(): Promise<void> {
  const backend = await openBackend(settings.backend);
  const queues = openQueues(backend);
  const workers = startWorkers(
    backend,
    { acknowledge: async () => {}, run, check: async () => {}, maintain: async () => {} },
    {
      async onGivenUp({ job, error }) {
        tell({ kind: 'giving-up', runId: (job as RunJob).runId, reason: error.message });
        if (settings.hangsGivingUp) await sleep(60_000);
      },
      concurrency: { run: settings.concurrency ?? 4 },
      lockMs: settings.lockMs ?? 900,
      stalledMs: 200,
      sweepMs: 200,
      backoffMs: 20,
      settleMs: 200,
      ...(settings.maxStalled === undefined ? {} : { maxStalled: settings.maxStalled }),
    },
  );
  process.on('message', async (job: RunJob) => {
    await queues.run(job);
    tell({ kind: 'enqueued', runId: job.runId });
  });
  process.on('SIGTERM', async () => {
    await shutDown({ workers, queues, backend }, settings.graceMs ?? 200);
    tell({ kind: 'drained' });
    process.disconnect();
  });
  tell({ kind: 'ready' });
}

async function run({ runId }: RunJob, { attempt, signal }: { attempt: number; signal: AbortSignal }) {
  tell({ kind: 'began', runId, attempt });
  try {
    await sleep(settings.runMs, undefined, { signal });
  } catch (cause) {
    tell({ kind: 'stopped', runId, attempt });
    throw cause;
  }
  if (settings.fails) throw Object.assign(new Error('it broke'), { retry: 'never' });
  tell({ kind: 'ended', runId, attempt });
}

await main().catch(cause => {
  tell({ kind: 'refused', code: cause.code, message: cause.message });
  process.disconnect?.();
});
