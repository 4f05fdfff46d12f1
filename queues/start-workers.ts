import { Worker } from 'bullmq';
import { type Backend, type BackendQueue, type BackendWorker, nameQueue, openQueue } from './backend.ts';
import { type Closer, createCloser, type GivenUp } from './close-failed-jobs.ts';
import { type QueueName, queueNames } from './jobs.ts';
import { retryDelay } from './retry-delay.ts';
import { type Handler, runJob } from './run-job.ts';
import { settledWithin } from './within-deadline.ts';

export type Handlers = { readonly [Q in QueueName]: Handler<Q> };

export interface WorkersOptions {
  /** Ends a job that failed for good in front of its user. Called at least once per failure; may be called twice. */
  readonly onGivenUp: (givenUp: GivenUp) => Promise<void>;
  /** Hears what went wrong beside the jobs: lost connections, a given-up call that failed (it is repeated). */
  readonly onError?: (error: unknown) => void;
  /** Jobs of each queue this process works at once. */
  readonly concurrency?: Partial<Record<QueueName, number>>;
  /** How long a job of each queue may take, in milliseconds. */
  readonly deadlineMs?: Partial<Record<QueueName, number>>;
  /** The first wait before a retry; it doubles from there. */
  readonly backoffMs?: number;
  /** How long a job stays with a worker that shows no sign of life. */
  readonly lockMs?: number;
  /** How often jobs of dead workers are looked for. One is handed on after `lockMs` and up to twice this. */
  readonly stalledMs?: number;
  /** How many workers a job may take with it before it is given up. */
  readonly maxStalled?: number;
  /** How often failures that nobody closed are looked for. */
  readonly sweepMs?: number;
  /** How long a handler may take to stop once its signal fired. */
  readonly settleMs?: number;
  /** How long a run that was announced but never enqueued holds up the runs behind it. */
  readonly vanishedMs?: number;
}

export interface Workers {
  /** Whether every worker still looks for jobs; for liveness. */
  isAlive(): boolean;
  /**
   * Takes no more jobs, lets running ones finish for `graceMs`, then fires their signal and hands them back, so
   * that another worker has them at once. Ends soon after that even when the queue is down. Safe to call twice.
   */
  drain(graceMs: number): Promise<void>;
}

const MINUTE_MS = 60_000;
const CONCURRENCY = { acknowledge: 16, run: 4, check: 4, maintain: 1 };
// An installation token lives for an hour and may be fresh or old: no job may come near that (P-25).
const DEADLINE_MS = {
  acknowledge: 0.5 * MINUTE_MS,
  run: 14 * MINUTE_MS,
  check: 14 * MINUTE_MS,
  maintain: 14 * MINUTE_MS,
};
const DEFAULTS = {
  backoffMs: 2000,
  lockMs: 60_000,
  stalledMs: 15_000,
  maxStalled: 2,
  sweepMs: 30_000,
  settleMs: 1000,
  vanishedMs: 5000, // more than twice what an enqueue may take
};
/** How long closing a connection is waited for when the queue does not answer. */
const CLOSE_MS = 2000;

/** Starts working the queues. Handlers may run twice for one job, and on several workers one after the other. */
export function startWorkers(backend: Backend, handlers: Handlers, options: WorkersOptions): Workers {
  const settings = { ...DEFAULTS, ...options, onError: options.onError ?? (() => {}) };
  const shared: Shared = {
    settings,
    handBack: new AbortController(),
    running: new Set(),
    closing: new Set(),
    isDraining: false,
  };
  const worked = queueNames.map(name =>
    startWorker(backend, name, handlers[name] as Handler<QueueName>, shared),
  );
  let isSweeping = false;
  const sweep = async () => {
    if (isSweeping) return; // while the queue is down a sweep waits for it; one that waits is enough
    isSweeping = true;
    const sweeps = worked.map(({ closer }) => keepIn(shared.closing, closer.sweep()).catch(settings.onError));
    await Promise.all(sweeps);
    isSweeping = false;
  };
  void sweep();
  const sweeping = setInterval(sweep, settings.sweepMs);
  let draining: Promise<void> | undefined;
  return {
    isAlive: () => !shared.isDraining && worked.every(one => one.worker.isRunning()),
    drain(graceMs) {
      clearInterval(sweeping);
      draining ??= drain(worked, shared, graceMs);
      return draining;
    },
  };
}

interface Shared {
  readonly settings: Required<Omit<WorkersOptions, 'concurrency' | 'deadlineMs'>> &
    Pick<WorkersOptions, 'concurrency' | 'deadlineMs'>;
  readonly handBack: AbortController;
  /** The jobs under way, and the failures being closed: what a shutdown waits for. */
  readonly running: Set<Promise<unknown>>;
  readonly closing: Set<Promise<unknown>>;
  isDraining: boolean;
}

interface WorkedQueue {
  readonly worker: BackendWorker;
  readonly queue: BackendQueue;
  readonly closer: Closer;
}

function startWorker(
  backend: Backend,
  name: QueueName,
  handler: Handler<QueueName>,
  shared: Shared,
): WorkedQueue {
  const { settings } = shared;
  const queue = openQueue(backend, name, 'worker');
  const store = backend.openStore(backend.namespace, 'worker');
  const turns = {
    store,
    queue,
    claimMs: settings.lockMs,
    vanishedMs: settings.vanishedMs,
    onError: settings.onError,
  };
  const closer = createCloser({ ...turns, name, onGivenUp: settings.onGivenUp });
  const deps = {
    ...turns,
    name,
    handler,
    deadlineMs: settings.deadlineMs?.[name] ?? DEADLINE_MS[name],
    settleMs: settings.settleMs,
    handBack: shared.handBack.signal,
    isDraining: () => shared.isDraining,
    onFinalFailure: closer.remember,
  };
  const worker = new Worker(
    nameQueue(backend, name),
    // BullMQ looks at the number of parameters: it gives no signal to a function that names none.
    (job, token, lockLost) => keepIn(shared.running, runJob(deps, job, token ?? '', lockLost)),
    {
      connection: backend.workerConnection,
      concurrency: settings.concurrency?.[name] ?? CONCURRENCY[name],
      lockDuration: settings.lockMs,
      stalledInterval: settings.stalledMs,
      maxStalledCount: settings.maxStalled,
      runRetryDelay: 500,
      settings: {
        backoffStrategy: (attemptsMade, _type, error) => retryDelay(settings.backoffMs, attemptsMade, error),
      },
    },
    backend.factory,
  );
  worker.on('error', settings.onError);
  worker.on('lockRenewalFailed', jobIds => {
    for (const jobId of jobIds) worker.cancelJob(jobId);
  });
  worker.on('failed', job => {
    const isOver = job?.finishedOn !== undefined;
    if (isOver && job.id !== undefined) {
      void keepIn(shared.closing, closer.close(job.id)).catch(settings.onError);
    }
  });
  return { worker, queue, closer };
}

function keepIn<T>(set: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  const settled: Promise<unknown> = work.catch(() => {}).finally(() => set.delete(settled));
  set.add(settled);
  return work;
}

async function drain(worked: readonly WorkedQueue[], shared: Shared, graceMs: number): Promise<void> {
  shared.isDraining = true;
  // Closing stops the search for jobs now and waits for those that run: their locks are renewed until they end.
  const closing = Promise.allSettled(worked.map(({ worker }) => worker.close()));
  await settledWithin(Promise.all(shared.running), graceMs);
  shared.handBack.abort();
  await settledWithin(Promise.all(shared.running), shared.settings.settleMs + CLOSE_MS);
  await settledWithin(Promise.all(shared.closing), CLOSE_MS);
  await settledWithin(closing, CLOSE_MS);
  await settledWithin(Promise.allSettled(worked.map(({ queue }) => queue.close())), CLOSE_MS);
}
