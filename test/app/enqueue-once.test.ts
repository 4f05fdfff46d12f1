import { expect, it } from 'vitest';
import { enqueueOnce } from '../../src/app/enqueue-once.ts';
import type { QueuedJob } from '../../src/app/jobs-of-event.ts';
import { Fault } from '../../src/fault/fault.ts';
import { describeOnBoth } from '../queues/open-test-backend.ts';
import { aRun, until } from '../queues/sample-jobs.ts';
import { workQueues } from '../queues/work-queues.ts';

const delivery = (deliveryId: string) => ({ appId: 1, deliveryId });
const check: QueuedJob = {
  queue: 'check',
  job: { kind: 'pull', installationId: 1, repositoryId: 42, pullNumber: 7, isRerun: false },
};
const run = (runId: string): QueuedJob => ({ queue: 'run', job: aRun(runId) });

describeOnBoth('a delivery', open => {
  it('is done once: taken again it asks for nothing new', async () => {
    const { queues, start } = workQueues(open());
    const done: string[] = [];
    start({ check: async () => void done.push('check'), run: async ({ runId }) => void done.push(runId) });
    await enqueueOnce(queues, delivery('a'), [check, run('r1')]);
    await until(() => done.length === 2);
    await enqueueOnce(queues, delivery('a'), [check, run('r1')]);
    await enqueueOnce(queues, delivery('b'), [run('r2')]);
    await until(() => done.includes('r2'));
    expect(done.sort()).toEqual(['check', 'r1', 'r2']);
  });

  it('taken again tries a run that failed once more', async () => {
    const { queues, start, givenUp } = workQueues(open());
    let attempts = 0;
    start({
      run: async () => {
        attempts += 1;
        if (attempts === 1) throw new Fault('no-luck', 'It failed.', { retry: 'never' });
      },
    });
    await enqueueOnce(queues, delivery('a'), [run('r1')]);
    await until(() => givenUp.length === 1);
    await enqueueOnce(queues, delivery('a'), [run('r1')]);
    await until(() => attempts === 2);
  });

  it('is remembered when its jobs are in the queue, and not when they are not', async () => {
    const { queues } = workQueues(open());
    await enqueueOnce(queues, delivery('nothing'), []);
    expect(await queues.hasDelivery(delivery('nothing'))).toBe(false);
    const invalid = { queue: 'run', job: { ...aRun('r1'), commentId: -1 } } as QueuedJob;
    await expect(enqueueOnce(queues, delivery('invalid'), [invalid])).rejects.toMatchObject({
      code: 'job-invalid',
    });
    expect(await queues.hasDelivery(delivery('invalid'))).toBe(false);
    await enqueueOnce(queues, delivery('good'), [check]);
    expect(await queues.hasDelivery(delivery('good'))).toBe(true);
  });
});
