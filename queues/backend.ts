import {
  type BackendFactory,
  type ConnectionOptions,
  type IQueueBackend,
  type JobProgress,
  Queue,
  type Worker,
} from 'bullmq';
import type { QueueName } from './jobs.ts';

/** A place in the line of writing runs of one pull request. Lower comment ids were written first. */
export interface LineEntry {
  readonly jobId: string;
  readonly commentId: number;
  readonly commandIndex: number;
}

/** The few things kept beside the jobs. Keys are plain strings; everything lives in one namespace. */
export interface QueueStore {
  /** Remembers a key, for `ttlMs` if given; tells whether it was new. */
  remember(key: string, value: string, ttlMs?: number): Promise<boolean>;
  recall(key: string): Promise<string | undefined>;
  /**
   * Takes a claim for `token` on behalf of `owner`, unless another owner holds it. The same owner takes over
   * from its own older token: that one belongs to an attempt which has lost its job.
   */
  claim(key: string, owner: string, token: string, ttlMs: number): Promise<boolean>;
  isClaimed(key: string): Promise<boolean>;
  /** Holds on to a claim; false when `token` has lost it. */
  renew(key: string, token: string, ttlMs: number): Promise<boolean>;
  release(key: string, token: string): Promise<void>;
  joinLine(line: string, entry: LineEntry): Promise<void>;
  leaveLine(line: string, jobId: string): Promise<void>;
  /** The line in comment order, with when each entry first joined (ms since the epoch). */
  readLine(line: string): Promise<readonly (LineEntry & { readonly joinedAt: number })[]>;
}

/** BullMQ's own classes, over whichever backend was opened. */
// biome-ignore lint/suspicious/noExplicitAny: payloads are proven by `parseJob` on both ends
export type BackendQueue = Queue<any, any, string, any, any, string, IQueueBackend>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type BackendWorker = Worker<any, any, string, IQueueBackend, JobProgress>;

/** Where the jobs are: Redis, or a database of our own inside this process. */
export interface Backend {
  readonly kind: 'redis' | 'embedded';
  /** What to call the place in a message; never holds a password. */
  readonly place: string;
  /** Several apps may share one Redis; each has its own queues in its own namespace. */
  readonly namespace: string;
  readonly factory: BackendFactory;
  /** What producers use: fails at once when the place is down. */
  readonly producerConnection: ConnectionOptions;
  /** What workers use: waits for the place to come back. */
  readonly workerConnection: ConnectionOptions;
  openStore(namespace: string, side: 'producer' | 'worker'): QueueStore;
  isReady(): boolean;
  ping(): Promise<void>;
  /** Closes the connections; call it last. Safe to call twice. */
  close(): Promise<void>;
}

/** The name BullMQ knows a queue by. */
export function nameQueue(backend: Backend, queue: QueueName): string {
  return `${backend.namespace}-${queue}`;
}

/** Opens one queue for adding and looking up jobs. */
export function openQueue(backend: Backend, queue: QueueName, side: 'producer' | 'worker'): BackendQueue {
  const connection = side === 'producer' ? backend.producerConnection : backend.workerConnection;
  const opened = new Queue(nameQueue(backend, queue), { connection }, backend.factory);
  // Whoever adds or reads gets the error as well; without a listener it would end the process.
  opened.on('error', () => {});
  return opened;
}
