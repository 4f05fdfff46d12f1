import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { Backend } from '../backend.ts';
import { QueueDownFault, QueueFault } from '../queue-fault.ts';
import { settledWithin, withinDeadline } from '../within-deadline.ts';
import { checkRedis, readRedisInfo } from './check-redis.ts';
import { openRedisStore } from './redis-store.ts';
import { showRedisUrl } from './show-redis-url.ts';

const CONNECT_MS = 5000;
const QUIT_MS = 1000;

export interface RedisBackendOptions {
  readonly redisUrl: string;
  readonly namespace: string;
  readonly allowEviction: boolean;
}

/**
 * Connects to Redis and refuses a server the queue cannot rely on.
 *
 * Rejects with a `QueueFault`: `queue-url-invalid`, `queue-too-old`, `queue-evicts`, or `queue-down` (retry later).
 */
export async function openRedisBackend(options: RedisBackendOptions): Promise<Backend> {
  const place = placeOf(options.redisUrl);
  // A producer must tell GitHub "503" in time, so nothing waits in a queue for a connection that is gone.
  const producer = connect(options.redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true, // many deliveries at once share a write
  });
  // A worker has all the time there is: it waits until Redis is back (bullmq#648).
  const worker = connect(options.redisUrl, { maxRetriesPerRequest: null });
  const close = onceOnly(async () => {
    await Promise.all([producer, worker].map(disconnect));
  });
  try {
    await withinDeadline(Promise.all([ready(producer), ready(worker)]), CONNECT_MS);
    checkRedis(readRedisInfo(await producer.info()), place, options.allowEviction);
  } catch (cause) {
    await close();
    throw cause instanceof QueueFault ? cause : new QueueDownFault(place, 'answer', cause);
  }
  return {
    kind: 'redis',
    place,
    namespace: options.namespace,
    factory: createRedisBackend,
    producerConnection: producer,
    workerConnection: worker,
    openStore: (namespace, side) => openRedisStore(side === 'producer' ? producer : worker, namespace),
    isReady: () => producer.status === 'ready',
    ping: async () => {
      await producer.ping();
    },
    close,
  };
}

function placeOf(redisUrl: string): string {
  const isRedis = URL.canParse(redisUrl) && /^rediss?:$/.test(new URL(redisUrl).protocol);
  if (isRedis) return showRedisUrl(redisUrl);
  throw new QueueFault(
    'queue-url-invalid',
    'QUEUE_REDIS_URL is no address of a Redis. Write it as redis://user:password@host:6379/0, or rediss:// for TLS.',
  );
}

interface Patience {
  readonly enableOfflineQueue?: boolean;
  readonly enableAutoPipelining?: boolean;
  readonly maxRetriesPerRequest: number | null;
}

function connect(redisUrl: string, patience: Patience): Redis {
  const redis = new Redis(redisUrl, {
    connectTimeout: CONNECT_MS,
    retryStrategy: times => Math.min(50 * 2 ** Math.min(times, 5), 1000),
    // After a failover the old master refuses to write: look for the new one.
    reconnectOnError: error => (error.message.startsWith('READONLY') ? 2 : false),
    ...patience,
  });
  // Every command reports its own failure; without a listener ioredis prints each reconnect.
  redis.on('error', () => {});
  return redis;
}

async function ready(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  let last: Error | undefined;
  const remember = (error: Error) => {
    last = error;
  };
  redis.on('error', remember);
  const isReady = await settledWithin(new Promise(resolve => redis.once('ready', resolve)), CONNECT_MS - 500);
  redis.off('error', remember);
  if (!isReady) throw last ?? new Error(`no connection within ${CONNECT_MS - 500} ms`);
}

async function disconnect(redis: Redis): Promise<void> {
  if (redis.status === 'ready' && (await settledWithin(redis.quit(), QUIT_MS))) return;
  redis.disconnect();
}

function onceOnly(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
