import { afterEach } from 'vitest';
import type { Backend } from '../../queues/backend.ts';
import type { GivenUp } from '../../queues/close-failed-jobs.ts';
import { openQueues, type Queues } from '../../queues/open-queues.ts';
import {
  type Handlers,
  startWorkers,
  type Workers,
  type WorkersOptions,
} from '../../queues/start-workers.ts';

export interface Worked {
  readonly queues: Queues;
  readonly givenUp: GivenUp[];
  start(handlers: Partial<Handlers>, options?: Partial<WorkersOptions>): Workers;
}

const open: { queues: Queues[]; workers: Workers[] } = { queues: [], workers: [] };

/** Producers and workers for one test, closed when it ends. All waits are short. */
export function workQueues(backend: Backend): Worked {
  const queues = openQueues(backend);
  open.queues.push(queues);
  const givenUp: GivenUp[] = [];
  return {
    queues,
    givenUp,
    start(handlers, options = {}) {
      const idle = async () => {};
      const workers = startWorkers(
        backend,
        { acknowledge: idle, run: idle, check: idle, maintain: idle, ...handlers },
        {
          onGivenUp: async one => void givenUp.push(one),
          backoffMs: 20,
          lockMs: 2000,
          stalledMs: 300,
          sweepMs: 200,
          settleMs: 200,
          vanishedMs: 500,
          ...options,
        },
      );
      open.workers.push(workers);
      return workers;
    },
  };
}

afterEach(async () => {
  await Promise.all(open.workers.splice(0).map(workers => workers.drain(0)));
  await Promise.all(open.queues.splice(0).map(queues => queues.close()));
});
