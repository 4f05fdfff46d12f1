import { randomUUID } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { type Backend, type BackendQueue, openQueue } from './backend.ts';
import { jobOptions } from './job-options.ts';
import {
  type AcknowledgeJob,
  type CheckJob,
  type JobOf,
  type MaintainJob,
  parseJob,
  type QueueName,
  queueNames,
  type RunJob,
} from './jobs.ts';
import { QueueDownFault, QueueFault } from './queue-fault.ts';
import { joinTurns } from './take-turn.ts';
import { withinDeadline } from './within-deadline.ts';

/** GitHub delivers an event again for three days. */
const DELIVERY_TTL_MS = 3 * 24 * 3600 * 1000;
const ENQUEUE_MS = 2000;

/** What became of a job that was handed in: `known` jobs are queued, running or done; `retried` ones had failed. */
export type Enqueued = 'added' | 'known' | 'retried';

/** One event for one app: GitHub gives the same GUID to every app that hears of it. */
export interface DeliveryKey {
  readonly appId: number;
  readonly deliveryId: string;
}

/** The mark of one queue's life. A new one means that the queue is empty: fresh, or flushed. */
export interface Epoch {
  readonly value: string;
  /** True until `settleEpoch`: what the last queue held has not been replayed yet. */
  readonly isNew: boolean;
}

export interface Queues {
  acknowledge(job: AcknowledgeJob): Promise<Enqueued>;
  run(job: RunJob): Promise<Enqueued>;
  check(job: CheckJob): Promise<Enqueued>;
  maintain(job: MaintainJob): Promise<Enqueued>;
  hasDelivery(key: DeliveryKey): Promise<boolean>;
  /** Call it after everything of the delivery is enqueued; tells whether it was new. */
  rememberDelivery(key: DeliveryKey): Promise<boolean>;
  epoch(): Promise<Epoch>;
  /** The deliveries of the last days were replayed into the queue of this epoch. */
  settleEpoch(value: string): Promise<void>;
  /** Jobs by queue and state, for metrics. */
  counts(): Promise<Record<QueueName, Record<string, number>>>;
  isReady(): boolean;
  /** Milliseconds until the queue answered. */
  ping(deadlineMs?: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens the producers. Each call answers within two seconds: with what became of it, a `job-invalid` fault, or a
 * `QueueDownFault`. After the latter the job may or may not be in the queue; handing it in again does no harm.
 */
export function openQueues(backend: Backend, options: { readonly deadlineMs?: number } = {}): Queues {
  const deadlineMs = options.deadlineMs ?? ENQUEUE_MS;
  const queues = Object.fromEntries(
    queueNames.map(name => [name, openQueue(backend, name, 'producer')]),
  ) as Record<QueueName, BackendQueue>;
  const store = backend.openStore(backend.namespace, 'producer');
  const inTime = <T>(doing: string, work: () => Promise<T>, ms = deadlineMs) =>
    inTimeAt(backend, doing, work, ms);

  const enqueue = async <Q extends QueueName>(name: Q, payload: JobOf<Q>): Promise<Enqueued> => {
    const job = parseJob(name, payload);
    const bullOptions = jobOptions(name, job);
    return inTime(`take the ${name} job`, async () => {
      if (name === 'run') await joinTurns(store, job as RunJob);
      return addOnce(queues[name], name, job, bullOptions);
    });
  };
  let closing: Promise<void> | undefined;
  return {
    acknowledge: job => enqueue('acknowledge', job),
    run: job => enqueue('run', job),
    check: job => enqueue('check', job),
    maintain: job => enqueue('maintain', job),
    hasDelivery: key =>
      inTime('look up a delivery', async () => (await store.recall(deliveryName(key))) !== undefined),
    rememberDelivery: key =>
      inTime('remember a delivery', () => store.remember(deliveryName(key), '1', DELIVERY_TTL_MS)),
    epoch: () =>
      inTime('tell its epoch', async () => {
        await store.remember('epoch', randomUUID());
        const value = (await store.recall('epoch')) ?? '';
        return { value, isNew: (await store.recall(`epoch-settled-${value}`)) === undefined };
      }),
    async settleEpoch(value) {
      await inTime('settle its epoch', () => store.remember(`epoch-settled-${value}`, '1'));
    },
    counts: () =>
      inTime('count its jobs', async () => {
        const counted = queueNames.map(async name => [name, await queues[name].getJobCounts()] as const);
        return Object.fromEntries(await Promise.all(counted)) as Record<QueueName, Record<string, number>>;
      }),
    isReady: () => closing === undefined && backend.isReady(),
    async ping(ms = deadlineMs) {
      const start = performance.now();
      await inTime('answer', () => backend.ping(), ms);
      return performance.now() - start;
    },
    close() {
      closing ??= Promise.allSettled(Object.values(queues).map(queue => queue.close())).then(() => {});
      return closing;
    },
  };
}

async function addOnce(
  queue: BackendQueue,
  name: string,
  job: object,
  options: JobsOptions,
): Promise<Enqueued> {
  if (options.jobId !== undefined) {
    // BullMQ ignores a second job of the same id whatever became of the first, also when it failed (P-3, P-13).
    const state = await queue.getJobState(options.jobId);
    if (state === 'failed' && (await retryFailed(queue, options.jobId))) return 'retried';
    if (state !== 'failed' && state !== 'unknown') return 'known';
  }
  await queue.add(name, job, options);
  return 'added';
}

async function retryFailed(queue: BackendQueue, jobId: string): Promise<boolean> {
  const job = await queue.getJob(jobId);
  try {
    await job?.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return job !== undefined;
  } catch {
    return false; // removed or retried by somebody else since we looked
  }
}

function deliveryName(key: DeliveryKey): string {
  return `delivery-${key.appId}-${key.deliveryId}`;
}

async function inTimeAt<T>(backend: Backend, doing: string, work: () => Promise<T>, ms: number): Promise<T> {
  try {
    return await withinDeadline(work(), ms);
  } catch (cause) {
    throw cause instanceof QueueFault ? cause : new QueueDownFault(backend.place, doing, cause);
  }
}
