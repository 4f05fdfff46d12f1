import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { type Backend, openQueue } from '../../queues/backend.ts';
import type { CheckJob, RunJob } from '../../queues/jobs.ts';
import type { JobContext } from '../../queues/run-job.ts';
import { Fault } from '../../src/fault/fault.ts';
import { describeOnBoth } from './open-test-backend.ts';
import { aRun, until } from './sample-jobs.ts';
import { workQueues } from './work-queues.ts';

const aPull = (changes: Partial<Extract<CheckJob, { kind: 'pull' }>> = {}): CheckJob => ({
  kind: 'pull',
  installationId: 1,
  repositoryId: 42,
  pullNumber: 7,
  ...changes,
});

/** Takes every job lock away, as if the worker had stood still until they ran out. */
async function loseLocks(backend: Backend): Promise<void> {
  if (backend.kind === 'redis') {
    const redis = backend.workerConnection as Redis;
    await redis.del(...(await redis.keys(`bull:${backend.namespace}-*:lock`)));
  } else {
    const pool = backend.workerConnection as unknown as { query(text: string): Promise<unknown> };
    await pool.query(`UPDATE job SET lock_token = 'another', locked_until_ms = 0 WHERE state = 'active'`);
  }
}

describeOnBoth('queues', open => {
  it('brings each kind of job to its handler', async () => {
    const { queues, start } = workQueues(open());
    const seen: unknown[] = [];
    const note = async (job: unknown) => void seen.push(job);
    start({ acknowledge: note, run: note, check: note, maintain: note });
    const jobs = {
      acknowledge: { installationId: 1, repositoryId: 42, commentId: 1000, runIds: ['a'] as string[] },
      run: aRun('a'),
      check: {
        kind: 'merge-group',
        installationId: 1,
        repositoryId: 42,
        headSha: 'a'.repeat(40),
        baseSha: 'b'.repeat(40),
      },
      maintain: { kind: 'forget-repository', repositoryId: 42 },
    } as const;
    await queues.acknowledge(jobs.acknowledge);
    await queues.run(jobs.run);
    await queues.check(jobs.check);
    await queues.maintain(jobs.maintain);
    await until(() => seen.length === 4);
    expect(seen).toEqual(expect.arrayContaining(Object.values(jobs)));
  });

  it('refuses a payload that is none, when it comes in', async () => {
    const { queues } = workQueues(open());
    const withTitle = { ...aRun('a'), title: 'not an id' } as RunJob;
    await expect(queues.run(withTitle)).rejects.toMatchObject({ code: 'job-invalid', retry: 'never' });
    await expect(queues.run(aRun('a:b'))).rejects.toThrow(/runId: not a run id/);
  });

  it('gives up a payload that is none when it comes out, without trying again', async () => {
    const backend = open();
    const { start } = workQueues(backend);
    const errors: unknown[] = [];
    let calls = 0;
    const queue = openQueue(backend, 'run', 'producer');
    const job = await queue.add('run', { runId: 'a' }, { attempts: 5 });
    start({ run: async () => void calls++ }, { onError: error => errors.push(error) });
    await until(() => errors.length > 0);
    const failed = await until(async () => (await queue.getFailed())[0]);
    expect(failed).toMatchObject({ id: job.id, attemptsMade: 1 });
    expect(failed.failedReason).toMatch(/This is no "run" job \(.*repositoryId: /);
    expect(calls).toBe(0);
    await queue.close();
  });

  it('makes one job of a run that is handed in twice, also when it is done', async () => {
    const { queues, start } = workQueues(open());
    let calls = 0;
    expect(await queues.run(aRun('a'))).toBe('added');
    expect(await queues.run(aRun('a'))).toBe('known');
    start({ run: async () => void calls++ });
    await until(async () => (await queues.counts()).run.completed === 1);
    expect(await queues.run(aRun('a'))).toBe('known');
    await sleep(50);
    expect(calls).toBe(1);
  });

  it('tries again later what may succeed later, and tells the handler which attempt it is', async () => {
    const { queues, start } = workQueues(open());
    const contexts: JobContext[] = [];
    start({
      async run(_, context) {
        contexts.push(context);
        if (contexts.length < 3) throw new Fault('github-down', 'GitHub is down', { retry: 'later' });
      },
    });
    await queues.run(aRun('a'));
    await until(async () => (await queues.counts()).run.completed === 1);
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(contexts.map(({ isLastAttempt }) => isLastAttempt)).toEqual([false, false, false]);
    expect(contexts[0]?.deadline).toBeGreaterThan(Date.now());
  });

  it('tries again now what has lost a race', async () => {
    const { queues, start } = workQueues(open());
    const times: number[] = [];
    start(
      {
        async run() {
          times.push(performance.now());
          if (times.length === 1) throw new Fault('head-moved', 'the head moved', { retry: 'now' });
        },
      },
      { backoffMs: 5000 },
    );
    await queues.run(aRun('a'));
    await until(() => times.length === 2, 2500);
  });

  it('gives up at once what can never succeed', async () => {
    const { queues, givenUp, start } = workQueues(open());
    let calls = 0;
    const fault = new Fault('not-allowed', 'not allowed', { retry: 'never' });
    start({
      async run() {
        calls++;
        throw fault;
      },
    });
    await queues.run(aRun('a'));
    await until(() => givenUp.length);
    await sleep(300); // a sweep goes by
    expect(calls).toBe(1);
    expect(givenUp).toEqual([{ queue: 'run', job: aRun('a'), error: fault }]);
  });

  it('gives up after the last attempt, once', async () => {
    const { queues, givenUp, start } = workQueues(open());
    const attempts: boolean[] = [];
    start({
      async check(_, { isLastAttempt }) {
        attempts.push(isLastAttempt);
        throw new Error('no luck');
      },
    });
    await queues.check(aPull());
    await until(() => givenUp.length);
    await sleep(300);
    expect(attempts).toEqual([false, false, false, false, true]);
    expect(givenUp).toMatchObject([{ queue: 'check', job: aPull(), error: { message: 'no luck' } }]);
  });

  it('repeats the giving up until it succeeds, also for workers that come later', async () => {
    const backend = open();
    const { queues, givenUp, start } = workQueues(backend);
    let refused = 0;
    const first = start(
      { run: () => Promise.reject(new Fault('broken', 'it broke')) },
      {
        async onGivenUp() {
          refused++;
          throw new Error('GitHub is down');
        },
      },
    );
    await queues.run(aRun('a'));
    await until(() => refused >= 2);
    await first.drain(0);
    start({});
    await until(() => givenUp.length);
    expect(givenUp).toMatchObject([
      { job: { runId: 'a' }, error: { code: 'job-given-up', message: 'it broke' } },
    ]);
  });

  it('runs a failed run again when it is handed in again, and gives it up again', async () => {
    const { queues, givenUp, start } = workQueues(open());
    const attempts: number[] = [];
    start({
      async run(_, { attempt }) {
        attempts.push(attempt);
        throw new Fault('broken', 'it broke', { retry: attempts.length === 1 ? 'later' : 'never' });
      },
    });
    expect(await queues.run(aRun('a'))).toBe('added');
    await until(() => givenUp.length === 1);
    expect(await queues.run(aRun('a'))).toBe('retried');
    await until(() => givenUp.length === 2);
    expect(attempts).toEqual([1, 2, 1]);
  });

  it('merges the checks of one pull request, and checks once more what came while one ran', async () => {
    const { queues, start } = workQueues(open());
    let running = 0;
    let most = 0;
    const seen: CheckJob[] = [];
    const check = async (job: CheckJob) => {
      most = Math.max(most, ++running);
      seen.push(job);
      await sleep(150);
      running--;
    };
    for (let push = 0; push < 5; push++) await queues.check(aPull());
    start({ check });
    await until(() => running === 1);
    for (let push = 0; push < 5; push++) await queues.check(aPull());
    await queues.check({ kind: 'commit', installationId: 1, repositoryId: 42, headSha: 'c'.repeat(40) });
    await until(() => seen.length === 3);
    await sleep(300);
    expect(seen.filter(job => job.kind === 'pull')).toHaveLength(2);
    expect(seen).toHaveLength(3);
    expect(most).toBe(2); // the commit's check ran beside the pull request's
  });

  it('retries a merged check that fails, and merges on after it was given up', async () => {
    const { queues, givenUp, start } = workQueues(open());
    let calls = 0;
    start({
      async check() {
        if (++calls <= 5) throw new Error('no luck');
      },
    });
    await queues.check(aPull());
    await until(() => givenUp.length === 1);
    await queues.check(aPull());
    await until(() => calls === 6);
  });

  it.each([1, 8])('runs the writing runs of a pull request in comment order, %i at once', async run => {
    const { queues, start } = workQueues(open());
    const log: string[] = [];
    for (const n of [4, 2, 5, 0, 3, 1]) {
      await queues.run(aRun(`r${n}`, { commentId: 1000 + Math.floor(n / 2), commandIndex: n % 2 }));
    }
    const handler = async ({ runId }: RunJob) => {
      log.push(`+${runId}`);
      await sleep(30);
      log.push(`-${runId}`);
    };
    start({ run: handler }, { concurrency: { run } });
    await until(() => log.length === 12);
    expect(log).toEqual([0, 1, 2, 3, 4, 5].flatMap(n => [`+r${n}`, `-r${n}`]));
  });

  it('lets nobody wait who does not write, or writes elsewhere', async () => {
    const { queues, start } = workQueues(open());
    const ended: string[] = [];
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    start({
      async run({ runId }) {
        if (runId === 'first') await held;
        ended.push(runId);
      },
    });
    await queues.run(aRun('first'));
    await queues.run(aRun('next', { commentId: 1001 }));
    await queues.run(aRun('reader', { commentId: 1002, isWriting: false }));
    await queues.run(aRun('elsewhere', { commentId: 1003, issueNumber: 8 }));
    await until(() => ended.length === 2);
    expect(ended.sort()).toEqual(['elsewhere', 'reader']);
    release();
    await until(() => ended.length === 4);
    expect(ended.slice(2)).toEqual(['first', 'next']);
  });

  it('starts the next in line within 200 ms', async () => {
    const { queues, start } = workQueues(open());
    const at: Record<string, number> = {};
    start({
      async run({ runId }) {
        at[`+${runId}`] = performance.now();
        await sleep(100);
        at[`-${runId}`] = performance.now();
      },
    });
    for (const n of [0, 1, 2, 3]) await queues.run(aRun(`r${n}`, { commentId: 1000 + n }));
    await until(() => at['-r3']);
    const waits = [1, 2, 3].map(n => (at[`+r${n}`] ?? 0) - (at[`-r${n - 1}`] ?? 0));
    expect(waits.sort((a, b) => a - b)[1]).toBeLessThan(200); // the median: the machine may be busy
  });

  it('keeps the order through a retry, and goes on after a run that failed for good', async () => {
    const { queues, givenUp, start } = workQueues(open());
    const log: string[] = [];
    start({
      async run({ runId }, { attempt }) {
        log.push(`${runId}.${attempt}`);
        if (runId === 'a' && attempt === 1) throw new Fault('later', 'later', { retry: 'later' });
        if (runId === 'b') throw new Fault('never', 'never', { retry: 'never' });
      },
    });
    for (const [n, runId] of ['a', 'b', 'c'].entries())
      await queues.run(aRun(runId, { commentId: 1000 + n }));
    await until(() => log.includes('c.1'));
    expect(log).toEqual(['a.1', 'a.2', 'b.1', 'c.1']);
    await until(() => givenUp.length === 1);
  });

  it('is not blocked by a run whose job has vanished', async () => {
    const backend = open();
    const { queues, start } = workQueues(backend);
    const store = backend.openStore(backend.namespace, 'producer');
    await store.joinLine('42-7', { jobId: 'run-gone', commentId: 1, commandIndex: 0 });
    const queue = openQueue(backend, 'run', 'producer');
    await queues.run(aRun('removed', { commentId: 2 }));
    await (await queue.getJob('run-removed'))?.remove();
    await queues.run(aRun('a'));
    const ended: string[] = [];
    start({ run: async ({ runId }) => void ended.push(runId) });
    await until(() => ended.length, 9000);
    expect(ended).toEqual(['a']);
    expect(await store.readLine('42-7')).toEqual([]);
    await queue.close();
  });

  it('never runs two of one pull request at once, and loses none, under load', async () => {
    const { queues, start } = workQueues(open());
    const running = new Map<number, number>();
    const ended: string[] = [];
    let overlaps = 0;
    let stopped = 0;
    const handlers = {
      async run(job: RunJob, { attempt, signal }: JobContext) {
        const others = running.get(job.issueNumber) ?? 0;
        if (others > 0) overlaps++;
        running.set(job.issueNumber, others + 1);
        await sleep(Math.random() * 8);
        running.set(job.issueNumber, (running.get(job.issueNumber) ?? 1) - 1);
        if (signal.aborted) stopped++;
        if (attempt === 1 && job.commentId % 7 === 0) throw new Error('once');
        ended.push(job.runId);
      },
    };
    start(handlers, { concurrency: { run: 6 } });
    start(handlers, { concurrency: { run: 6 } });
    const jobs = Array.from({ length: 60 }, (_, n) =>
      aRun(`r${n}`, { issueNumber: 1 + (n % 4), commentId: 1 + ((n * 37) % 60) }),
    );
    await Promise.all(jobs.map(job => queues.run(job)));
    await until(() => ended.length >= 60, 15_000);
    expect(overlaps).toBe(0);
    expect(stopped).toBe(0);
    expect(new Set(ended).size).toBe(60);
  });

  it('stops a job at its deadline and gives it up', async () => {
    const { queues, givenUp, start } = workQueues(open());
    let reason: unknown;
    start(
      {
        run: (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              reason = signal.reason;
              reject(new Error('stopped'));
            }),
          ),
        check: () => new Promise(() => {}), // does not listen
      },
      { deadlineMs: { run: 100, check: 100 } },
    );
    await queues.run(aRun('a'));
    await queues.check(aPull());
    await until(() => givenUp.length === 2);
    expect(reason).toMatchObject({ code: 'job-timed-out' });
    expect(givenUp.map(({ error }) => error)).toMatchObject([
      { code: 'job-timed-out' },
      { code: 'job-timed-out' },
    ]);
  });

  it('tells a handler when its job was given to another worker', async () => {
    const backend = open();
    const { queues, start } = workQueues(backend);
    const reasons: unknown[] = [];
    let calls = 0;
    start(
      {
        async check(_, { signal }) {
          calls++;
          if (calls > 1) return;
          await loseLocks(backend);
          await sleep(5000, undefined, { signal }).catch(() => reasons.push(signal.reason));
          signal.throwIfAborted();
        },
      },
      { lockMs: 400 },
    );
    await queues.check(aPull());
    await until(() => reasons.length);
    expect(reasons).toMatchObject([{ code: 'job-handed-back' }]);
    await until(() => calls === 2);
  });

  it('lets running jobs finish when it drains, and hands back those that do not', async () => {
    const backend = open();
    const { queues, start } = workQueues(backend);
    const log: string[] = [];
    const workers = start({
      async run({ runId }, { signal }) {
        log.push(`+${runId}`);
        const ms = runId === 'quick' ? 100 : 60_000;
        await sleep(ms, undefined, { signal }).catch(() => log.push(`!${runId}`));
        signal.throwIfAborted();
        log.push(`-${runId}`);
      },
    });
    await queues.run(aRun('quick', { issueNumber: 1 }));
    await queues.run(aRun('slow', { issueNumber: 2 }));
    await until(() => log.length === 2);
    const start0 = performance.now();
    await Promise.all([workers.drain(400), workers.drain(400)]);
    expect(performance.now() - start0).toBeLessThan(2500);
    expect(log.slice(2)).toEqual(['-quick', '!slow']);
    expect(await queues.counts()).toMatchObject({ run: { completed: 1, waiting: 1, active: 0, failed: 0 } });
    const attempts: number[] = [];
    start({ run: async (_, { attempt }) => void attempts.push(attempt) });
    await until(() => attempts.length, 1500);
    expect(attempts).toEqual([1]);
  });

  it('knows the deliveries it was told, per app', async () => {
    const { queues } = workQueues(open());
    const key = { appId: 1, deliveryId: randomUUID() };
    expect(await queues.hasDelivery(key)).toBe(false);
    expect(await queues.rememberDelivery(key)).toBe(true);
    expect(await queues.rememberDelivery(key)).toBe(false);
    expect(await queues.hasDelivery(key)).toBe(true);
    expect(await queues.hasDelivery({ ...key, appId: 2 })).toBe(false);
  });

  it('forgets what has expired', async () => {
    const backend = open();
    const store = backend.openStore(backend.namespace, 'producer');
    expect(await store.remember('k', 'v', 30)).toBe(true);
    expect(await store.recall('k')).toBe('v');
    await sleep(60);
    expect(await store.recall('k')).toBeUndefined();
    expect(await store.remember('k', 'w', 30)).toBe(true);
  });

  it('has an epoch that stays new until its deliveries were replayed', async () => {
    const { queues } = workQueues(open());
    const first = await queues.epoch();
    expect(first.isNew).toBe(true);
    expect(await queues.epoch()).toEqual(first);
    await queues.settleEpoch(first.value);
    expect(await queues.epoch()).toEqual({ ...first, isNew: false });
  });

  it('lets a claim go to one owner at a time, and to a newer token of the same', async () => {
    const backend = open();
    const store = backend.openStore(backend.namespace, 'worker');
    expect(await store.claim('k', 'run-a', 't1', 1000)).toBe(true);
    expect(await store.claim('k', 'run-a2', 't2', 1000)).toBe(false);
    expect(await store.isClaimed('k')).toBe(true);
    expect(await store.claim('k', 'run-a', 't3', 1000)).toBe(true);
    expect(await store.renew('k', 't1', 1000)).toBe(false);
    expect(await store.renew('k', 't3', 30)).toBe(true);
    await store.release('k', 't1');
    expect(await store.claim('k', 'run-b', 't4', 1000)).toBe(false);
    await sleep(60);
    expect(await store.claim('k', 'run-b', 't4', 1000)).toBe(true);
    expect(await store.renew('k', 't3', 1000)).toBe(false);
    await store.release('k', 't4');
    expect(await store.isClaimed('k')).toBe(false);
    expect(await store.claim('k', 'run-a', 't5', 1000)).toBe(true);
  });

  it('answers within its deadline that it is ready', async () => {
    const { queues } = workQueues(open());
    expect(queues.isReady()).toBe(true);
    expect(await queues.ping(1000)).toBeLessThan(1000);
    await queues.close();
    await queues.close();
    expect(queues.isReady()).toBe(false);
  });
});
