import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Backend } from '../../queues/backend.ts';
import { makeSeed, seedName } from '../../queues/embedded/make-seed.ts';
import { openBackend } from '../../queues/open-backend.ts';
import { hasRedisServer, type RedisServer, startRedis } from './start-redis.ts';

/** Holds the seed of the embedded queue, and a folder that was started from it. */
export const CACHE = resolve('node_modules/.cache/skillkeeper');

/** A data folder that already holds an empty queue; the first caller on a machine makes it, which takes seconds. */
export async function newDataDir(): Promise<string> {
  const prepared = join(CACHE, seedName().replace(/\.tar\.gz$/, ''));
  if (!existsSync(prepared)) await prepare(prepared);
  const dataDir = await mkdtemp(join(tmpdir(), 'queue-data-'));
  await cp(join(prepared, 'queue'), join(dataDir, 'queue'), { recursive: true });
  return dataDir;
}

async function prepare(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const aside = await mkdtemp(join(CACHE, 'new-'));
  await makeSeed(join(CACHE, seedName()));
  const backend = await openBackend({ dataDir: aside, seedDir: CACHE });
  await backend.close();
  await rename(aside, folder).catch(() => rm(aside, { recursive: true })); // another test file was faster
}

/** Runs the same tests on Redis and on the embedded queue. `open` gives a backend with a namespace of its own. */
export function describeOnBoth(title: string, define: (open: () => Backend) => void): void {
  const hasOwn = hasRedisServer();
  const given = hasOwn ? undefined : process.env.QUEUE_REDIS_URL;
  const kinds = hasOwn || given ? ['redis', 'embedded'] : ['embedded'];
  describe.each(kinds)(`${title}, %s`, kind => {
    let backend: Backend;
    let redis: RedisServer | undefined;
    let dataDir = '';
    beforeAll(async () => {
      if (kind === 'embedded') dataDir = await newDataDir();
      else if (hasOwn) redis = await startRedis();
      const redisUrl = kind === 'redis' ? (redis?.url ?? given) : undefined;
      backend = await openBackend({ dataDir, redisUrl });
    }, 60_000);
    afterAll(async () => {
      await backend?.close();
      await redis?.stop();
      if (dataDir) await rm(dataDir, { recursive: true, force: true });
    });
    let opened = 0;
    define(() => ({ ...backend, namespace: `test${process.pid}x${++opened}` }));
  });
}
