import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../queues/backend.ts';
import { openBackend } from '../../queues/open-backend.ts';
import { openQueues, type Queues } from '../../queues/open-queues.ts';
import { shutDown } from '../../queues/shut-down.ts';
import { startWorkers } from '../../queues/start-workers.ts';
import { aRun, until } from './sample-jobs.ts';
import { hasRedisServer, type RedisServer, startRedis } from './start-redis.ts';
import { startWorkerProcess, type WorkerProcess } from './start-worker-process.ts';
import type { WorkerSettings } from './worker-process.ts';

const idle = {
  acknowledge: async () => {},
  run: async () => {},
  check: async () => {},
  maintain: async () => {},
};

interface Site {
  readonly backend: Backend;
  readonly queues: Queues;
  worker(settings: Omit<WorkerSettings, 'backend'>): WorkerProcess;
}

describe.skipIf(!hasRedisServer()).concurrent('worker processes on Redis', () => {
  let redis: RedisServer;
  let opened = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** A namespace of its own for each test, and an end for every process it started. */
  const onSite = (test: (site: Site) => Promise<void>) => async () => {
    const options = { redisUrl: redis.url, dataDir: '', namespace: `test${++opened}` };
    const backend = await openBackend(options);
    const queues = openQueues(backend);
    const workers: WorkerProcess[] = [];
    const worker = (settings: Omit<WorkerSettings, 'backend'>) => {
      const started = startWorkerProcess({ backend: options, ...settings });
      workers.push(started);
      return started;
    };
    try {
      await test({ backend, queues, worker });
    } finally {
      await Promise.all(workers.map(one => one.end('SIGKILL')));
      await shutDown({ queues, backend }, 0);
    }
  };

  it(
    'runs the job of a worker that was killed again, and loses none',
    onSite(async ({ queues, worker }) => {
      const first = worker({ runMs: 60_000 });
      for (const n of [0, 1, 2]) await queues.run(aRun(`r${n}`, { issueNumber: n + 1 }));
      await until(() => first.runs('began').length === 3);
      const second = worker({ runMs: 5 });
      await second.heard('ready');
      expect(await first.end('SIGKILL')).toBe('SIGKILL');
      await until(() => second.runs('ended').length === 3);
      expect(second.messages.filter(m => m.kind === 'ended')).toMatchObject(Array(3).fill({ attempt: 1 }));
      await until(async () => (await queues.counts()).run.completed === 3);
    }),
  );

  it(
    'keeps the order of writing runs over two processes, and when one of them is killed',
    onSite(async ({ queues, worker }) => {
      const runs = Array.from({ length: 8 }, (_, n) => aRun(`r${n}`, { commentId: 1000 + n }));
      for (const run of [...runs].reverse()) await queues.run(run);
      const workers = [0, 1].map(() => worker({ runMs: 60, concurrency: 3 }));
      const all = () => workers.flatMap(one => one.messages).sort((a, b) => a.at - b.at);
      const busy = await until(() => workers.find(one => one.runs('began').includes('r3')));
      await busy.end('SIGKILL');
      const other = workers.find(one => one !== busy);
      await other?.heard('ended', 'r7', 15_000);
      const ended = all().flatMap(m => (m.kind === 'ended' ? [m.runId] : []));
      expect(ended.filter(runId => runId !== 'r3')).toEqual(['r0', 'r1', 'r2', 'r4', 'r5', 'r6', 'r7']);
      const began = all().flatMap(m => (m.kind === 'began' ? [m.runId] : []));
      expect(began).toEqual(['r0', 'r1', 'r2', 'r3', 'r3', 'r4', 'r5', 'r6', 'r7']);
    }),
  );

  it(
    'hands a job over at once when its worker is told to end, and counts no attempt',
    onSite(async ({ queues, worker }) => {
      const [first, second] = [0, 1].map(() =>
        worker({ runMs: 400, concurrency: 1, graceMs: 100, lockMs: 30_000 }),
      ) as [WorkerProcess, WorkerProcess];
      await Promise.all([first.heard('ready'), second.heard('ready')]);
      await queues.run(aRun('a'));
      const owner = await until(() => [first, second].find(one => one.runs('began').length > 0));
      const other = owner === first ? second : first;
      expect(await owner.end('SIGTERM')).toBe(0);
      const stopped = await owner.heard('stopped', 'a');
      const began = await other.heard('began', 'a');
      expect(began.at - stopped.at).toBeLessThan(1000);
      expect(await other.heard('ended', 'a')).toMatchObject({ attempt: 1 });
      expect(owner.runs('ended')).toEqual([]);
    }),
  );

  it(
    'lets a job finish within the grace of its worker',
    onSite(async ({ queues, worker }) => {
      const only = worker({ runMs: 300, graceMs: 5000 });
      await queues.run(aRun('a'));
      await only.heard('began');
      expect(await only.end('SIGTERM')).toBe(0);
      expect(only.runs('ended')).toEqual(['a']);
      expect(await queues.counts()).toMatchObject({ run: { completed: 1, waiting: 0 } });
    }),
  );

  it(
    'tells the user of a failure although the worker died before it could',
    onSite(async ({ backend, queues, worker }) => {
      const first = worker({ runMs: 5, fails: true, hangsGivingUp: true });
      await queues.run(aRun('a'));
      await first.heard('giving-up');
      await first.end('SIGKILL');
      // The claim of the dead worker is let go by hand: it would last a minute.
      await releaseClaims(redis, backend.namespace);
      const second = worker({ runMs: 5 });
      expect(await second.heard('giving-up')).toMatchObject({ runId: 'a', reason: 'it broke' });
    }),
  );

  it(
    'gives a job up that takes every worker with it, and lets the next in line go',
    onSite(async ({ queues, worker }) => {
      const first = worker({ runMs: 60_000, maxStalled: 0 });
      await queues.run(aRun('poison'));
      await queues.run(aRun('next', { commentId: 1001 }));
      await first.heard('began', 'poison');
      await until(async () => (await queues.counts()).run.delayed === 1); // `next` is in nobody's hands
      await first.end('SIGKILL');
      const second = worker({ runMs: 5, maxStalled: 0 });
      expect(await second.heard('giving-up')).toMatchObject({ runId: 'poison' });
      await second.heard('ended', 'next');
      expect(second.runs('began')).toEqual(['next']);
    }),
  );
});

async function releaseClaims(redis: RedisServer, namespace: string): Promise<void> {
  const client = new Redis(redis.url);
  const claims = await client.keys(`${namespace}:claim:close-*`);
  if (claims.length > 0) await client.del(...claims);
  await client.quit();
}

describe.skipIf(!hasRedisServer()).concurrent('a Redis that goes away', () => {
  it('fails an enqueue fast while it is down, and goes on by itself when it is back', async () => {
    const redis = await startRedis();
    const backend = await openBackend({ redisUrl: redis.url, dataDir: '' });
    const queues = openQueues(backend);
    const ended: string[] = [];
    const workers = startWorkers(
      backend,
      { ...idle, run: async ({ runId }) => void ended.push(runId) },
      { onGivenUp: async () => {} },
    );
    await queues.run(aRun('before'));
    await until(() => ended.length === 1);
    await redis.kill();
    const start = performance.now();
    await expect(queues.run(aRun('during'))).rejects.toMatchObject({ code: 'queue-down', retry: 'later' });
    await expect(queues.rememberDelivery({ appId: 1, deliveryId: 'd' })).rejects.toThrow(redis.url);
    expect(performance.now() - start).toBeLessThan(2000);
    await until(() => !queues.isReady());
    await redis.restart();
    await until(() => queues.isReady());
    expect(await queues.run(aRun('before'))).toBe('known');
    await queues.run(aRun('during'));
    await until(() => ended.length === 2);
    expect(workers.isAlive()).toBe(true);
    await shutDown({ workers, queues, backend }, 0);
    await redis.stop();
  });

  it('shows by a new epoch that it was emptied', async () => {
    const redis = await startRedis();
    const backend = await openBackend({ redisUrl: redis.url, dataDir: '' });
    const queues = openQueues(backend);
    const before = await queues.epoch();
    await queues.settleEpoch(before.value);
    await queues.run(aRun('a'));
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    const after = await queues.epoch();
    expect(after.isNew).toBe(true);
    expect(after.value).not.toBe(before.value);
    expect(await queues.run(aRun('a'))).toBe('added');
    await shutDown({ queues, backend }, 0);
    await redis.stop();
  });

  it('fails within two seconds when Redis hangs', async () => {
    const redis = await startRedis();
    const backend = await openBackend({ redisUrl: redis.url, dataDir: '' });
    const queues = openQueues(backend);
    await queues.ping();
    redis.signal('SIGSTOP');
    const start = performance.now();
    await Promise.all([
      expect(queues.acknowledge({ installationId: 1, repositoryId: 42, commentId: 1 })).rejects.toMatchObject(
        {
          code: 'queue-down',
        },
      ),
      expect(queues.ping(300)).rejects.toThrow(/did not answer: no answer within 300 ms/),
    ]);
    expect(performance.now() - start).toBeLessThan(2300);
    redis.signal('SIGCONT');
    await queues.ping();
    await shutDown({ queues, backend }, 0);
    await redis.stop();
  });

  it('drains in time although Redis is down and a job is running', async () => {
    const redis = await startRedis();
    const backend = await openBackend({ redisUrl: redis.url, dataDir: '' });
    const queues = openQueues(backend);
    let isRunning = false;
    const run = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      isRunning = true;
      await sleep(60_000, undefined, { signal });
    };
    const workers = startWorkers(backend, { ...idle, run }, { onGivenUp: async () => {}, settleMs: 100 });
    await queues.run(aRun('a'));
    await until(() => isRunning);
    await redis.kill();
    const start = performance.now();
    await shutDown({ workers, queues, backend }, 100);
    await shutDown({ workers, queues, backend }, 100);
    expect(performance.now() - start).toBeLessThan(9000);
    await redis.stop();
  }, 15_000);

  it('refuses to start while it is not there, without showing the password', async () => {
    const opening = openBackend({ redisUrl: 'redis://user:hunter2@127.0.0.1:1/3', dataDir: '' });
    await expect(opening).rejects.toMatchObject({ code: 'queue-down' });
    await expect(opening).rejects.toThrow('The queue at redis://127.0.0.1:1/3 did not answer');
    await expect(opening).rejects.not.toThrow(/hunter2/);
  });

  it('refuses one that may evict jobs, unless told otherwise', async () => {
    const redis = await startRedis('--maxmemory-policy', 'allkeys-lru');
    await expect(openBackend({ redisUrl: redis.url, dataDir: '' })).rejects.toThrow(
      `QUEUE_REDIS_URL points to ${redis.url}, whose maxmemory-policy is "allkeys-lru": jobs could be evicted. Set it to "noeviction" (CONFIG SET maxmemory-policy noeviction), or set SKILLKEEPER_ALLOW_EVICTION=1 to go on at your own risk.`,
    );
    const backend = await openBackend({ redisUrl: redis.url, dataDir: '', allowEviction: true });
    expect(backend.isReady()).toBe(true);
    await backend.close();
    await redis.stop();
  });
});
