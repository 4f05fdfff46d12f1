import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../../queues/embedded/lock-folder.ts';
import { openBackend } from '../../queues/open-backend.ts';
import { openQueues } from '../../queues/open-queues.ts';
import { CACHE, newDataDir } from './open-test-backend.ts';
import { aRun } from './sample-jobs.ts';
import { startWorkerProcess, type WorkerProcess } from './start-worker-process.ts';
import type { WorkerSettings } from './worker-process.ts';

const folders: string[] = [];
const workers: WorkerProcess[] = [];

async function aDataDir(): Promise<string> {
  const folder = await newDataDir();
  folders.push(folder);
  return folder;
}

function aWorker(settings: WorkerSettings): WorkerProcess {
  const worker = startWorkerProcess(settings);
  workers.push(worker);
  return worker;
}

afterAll(async () => {
  await Promise.all(workers.map(worker => worker.end('SIGKILL')));
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe.concurrent('the embedded queue', () => {
  it('outlives its process: jobs, deliveries, epoch and the order of runs', async () => {
    const dataDir = await aDataDir();
    let backend = await openBackend({ dataDir });
    let queues = openQueues(backend);
    const epoch = await queues.epoch();
    await queues.settleEpoch(epoch.value);
    await queues.rememberDelivery({ appId: 1, deliveryId: 'd' });
    await queues.run(aRun('later', { commentId: 1001 }));
    await queues.run(aRun('sooner', { commentId: 1000 }));
    await queues.close();
    await backend.close();
    await backend.close();

    backend = await openBackend({ dataDir });
    queues = openQueues(backend);
    expect(await queues.epoch()).toEqual({ value: epoch.value, isNew: false });
    expect(await queues.hasDelivery({ appId: 1, deliveryId: 'd' })).toBe(true);
    expect(await queues.counts()).toMatchObject({ run: { waiting: 2 } });
    expect(await backend.openStore(backend.namespace, 'worker').readLine('42-7')).toMatchObject([
      { jobId: 'run-sooner' },
      { jobId: 'run-later' },
    ]);
    await queues.close();
    await backend.close();
  });

  it('opens again after its process was killed, and runs what it was working on at once', async () => {
    const dataDir = await aDataDir();
    const first = aWorker({ backend: { dataDir }, runMs: 60_000, lockMs: 60_000 });
    await first.heard('ready');
    for (const n of [0, 1, 2]) await first.enqueue(aRun(`r${n}`, { commentId: 1000 + n }));
    await first.heard('began', 'r0');

    // Meanwhile nobody else gets in.
    const opening = openBackend({ dataDir });
    await expect(opening).rejects.toMatchObject({ code: 'queue-folder-in-use', retry: 'never' });
    await expect(opening).rejects.toThrow(
      /The queue in .* is in use by process \d+ on .+, since .*\. Only one process .* SKILLKEEPER_DATA_DIR, or set QUEUE_REDIS_URL/,
    );

    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    const second = aWorker({ backend: { dataDir }, runMs: 5, lockMs: 60_000 });
    const ready = await second.heard('ready');
    await second.heard('ended', 'r2');
    expect(second.runs('ended')).toEqual(['r0', 'r1', 'r2']);
    expect((await second.heard('began', 'r0')).at - ready.at).toBeLessThan(3000);
    expect(await second.end('SIGTERM')).toBe(0);
  }, 90_000);

  it('makes a database anew from the seed when one was left half made', async () => {
    const dataDir = await aDataDir();
    await rm(join(dataDir, 'queue', 'skillkeeper-complete'));
    await rm(join(dataDir, 'queue', 'global'), { recursive: true });
    const backend = await openBackend({ dataDir, seedDir: CACHE });
    expect((await openQueues(backend).epoch()).isNew).toBe(true);
    await backend.close();
  }, 90_000);

  it('says what to do about a database it cannot open', async () => {
    const dataDir = await aDataDir();
    await rm(join(dataDir, 'queue', 'global'), { recursive: true });
    await expect(openBackend({ dataDir })).rejects.toMatchObject({
      code: 'queue-folder-unusable',
      message: expect.stringMatching(/could not be opened: .*move it away, start again/s),
    });
    await (await lockFolder(join(dataDir, 'queue.lock')))();
  }, 90_000);
});

describe('the lock of a folder', () => {
  const aFolder = async (...names: string[]) => {
    const folder = await mkdtemp(join(tmpdir(), 'queue-lock-'));
    folders.push(folder);
    const inner = join(folder, ...names);
    await mkdir(inner, { recursive: true });
    return join(inner, 'queue.lock');
  };

  const contend = async (path: string) => {
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(path)));
    for (const one of tries) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'queue-folder-in-use' });
    }
    return tries.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  };

  it('is held by one of many that want it at the same time, again and again', async () => {
    const path = await aFolder();
    for (let round = 0; round < 10; round++) {
      const got = await contend(path);
      expect(got).toHaveLength(1);
      await got[0]?.();
      expect(await readdir(path)).toHaveLength(1);
    }
  });

  it('is taken over from a process that was killed, by one of many', async () => {
    const path = await aFolder();
    await (await lockFolder(path))();
    const listens = (name: string) =>
      `require('net').createServer().listen(${JSON.stringify(name)}, () => process.kill(process.pid, 'SIGKILL'))`;
    for (let round = 0; round < 5; round++) {
      const next = Math.max(0, ...(await readdir(path)).map(Number)) + 1;
      spawnSync(process.execPath, ['-e', listens(join(path, `${next}`))]);
      expect(await readdir(path)).toContain(`${next}`);
      const got = await contend(path);
      expect(got).toHaveLength(1);
      await got[0]?.();
    }
  });

  it('is not given to somebody who was slow, after it changed hands', async () => {
    const path = await aFolder();
    for (let round = 0; round < 12; round++) {
      let holders = 0;
      const comeAndGo = async () => {
        await sleep(Math.random() * 6);
        const release = await lockFolder(path).catch(() => undefined);
        if (!release) return;
        expect(++holders).toBe(1);
        await sleep(Math.random() * 3);
        holders--;
        await release();
      };
      await Promise.all(Array.from({ length: 12 }, comeAndGo));
    }
  });

  it.runIf(process.platform === 'linux')(
    'works in a folder whose name is too long for a socket',
    async () => {
      const path = await aFolder('x'.repeat(120));
      const release = await lockFolder(path);
      await expect(lockFolder(path)).rejects.toMatchObject({ code: 'queue-folder-in-use' });
      await release();
      await (await lockFolder(path))();
    },
  );
});
