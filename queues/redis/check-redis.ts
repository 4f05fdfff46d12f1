import { QueueFault } from '../queue-fault.ts';

/** BullMQ runs from 5.0 on but warns below this: streams and blocking reads are slower and coarser there. */
const OLDEST = [6, 2] as const;

export interface RedisFacts {
  readonly version: string;
  readonly evictionPolicy: string | undefined;
}

/** Reads what matters to us from the answer to `INFO`. Valkey and the managed services report the same fields. */
export function readRedisInfo(info: string): RedisFacts {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  return { version: field('redis_version') ?? '0', evictionPolicy: field('maxmemory_policy') };
}

/** Refuses a server that is too old, or that may throw jobs and locks away when its memory is full (bullmq#921). */
export function checkRedis(facts: RedisFacts, place: string, allowEviction: boolean): void {
  if (isOlder(facts.version)) {
    throw new QueueFault(
      'queue-too-old',
      `QUEUE_REDIS_URL points to ${place}, which runs Redis ${facts.version}: the queue needs ${OLDEST.join('.')} or newer. Update that server, or leave QUEUE_REDIS_URL away to use the embedded queue of a single process.`,
    );
  }
  const policy = facts.evictionPolicy;
  if (allowEviction || policy === undefined || policy === 'noeviction') return;
  throw new QueueFault(
    'queue-evicts',
    `QUEUE_REDIS_URL points to ${place}, whose maxmemory-policy is "${policy}": jobs could be evicted. Set it to "noeviction" (CONFIG SET maxmemory-policy noeviction), or set SKILLKEEPER_ALLOW_EVICTION=1 to go on at your own risk.`,
  );
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
