import type { Backend } from './backend.ts';
import { openEmbeddedBackend } from './embedded/open-embedded-backend.ts';
import { openRedisBackend } from './redis/open-redis-backend.ts';

export interface BackendOptions {
  /** `redis://…` or `rediss://…` (QUEUE_REDIS_URL). Without it the queue lives in this process, under `dataDir`. */
  readonly redisUrl?: string | undefined;
  /** SKILLKEEPER_ALLOW_EVICTION: go on with a Redis that may drop jobs when its memory is full. */
  readonly allowEviction?: boolean;
  /** SKILLKEEPER_DATA_DIR: where the embedded queue is kept. Used by one process at a time. */
  readonly dataDir: string;
  /** Where an image keeps the seed of the embedded queue; `dataDir` when left out. */
  readonly seedDir?: string;
  /** Keeps apps that share one Redis apart. */
  readonly namespace?: string;
}

/** Opens the place where jobs are kept. Rejects with a `QueueFault` whose message says what to do. */
export function openBackend(options: BackendOptions): Promise<Backend> {
  const { redisUrl, dataDir, seedDir, allowEviction = false, namespace = 'skillkeeper' } = options;
  return redisUrl === undefined
    ? openEmbeddedBackend({ dataDir, namespace, ...(seedDir === undefined ? {} : { seedDir }) })
    : openRedisBackend({ redisUrl, namespace, allowEviction });
}
