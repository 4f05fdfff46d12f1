import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { QueueStore } from './backend.ts';
import { type JobOf, parseJob, type QueueName, type RunJob } from './jobs.ts';
import { QueueFault } from './queue-fault.ts';
import { leaveTurns, type TurnDeps } from './take-turn.ts';
import { withinDeadline } from './within-deadline.ts';

/** How long a failed job can be looked at, and its run handed in again, before it is forgotten. */
const KEPT_MS = 3 * 24 * 3600 * 1000;
/** How long telling the user may take; the claim outlasts it, so that no two workers do it at once. */
const GIVE_UP_MS = 50_000;
const CLAIM_MS = 60_000;
const PAGE = 200;

/** A job that failed for good. The user behind it has not been told yet. */
export type GivenUp = {
  [Q in QueueName]: { readonly queue: Q; readonly job: JobOf<Q>; readonly error: Error };
}[QueueName];

export interface CloserDeps extends TurnDeps {
  readonly name: QueueName;
  readonly onGivenUp: (givenUp: GivenUp) => Promise<void>;
}

export interface Closer {
  /** Remembers what ended a job in this process; of another process's jobs only the message is left. */
  remember(jobId: string, error: unknown): void;
  close(jobId: string): Promise<void>;
  /** Closes everything that was left open by workers that died, and forgets what is old. */
  sweep(): Promise<void>;
}

/**
 * Ends failed jobs in front of their users, at least once each: a failed job counts as open until `onGivenUp`
 * returned and that was marked on it. Whoever dies in between leaves it to the next sweep of any worker. The mark
 * names one failure, so a job that is handed in again and fails again is open again.
 */
export function createCloser(deps: CloserDeps): Closer {
  const errors = new Map<string, unknown>();
  const close = async (jobId: string) => {
    await withClaim(deps.store, `close-${deps.name}-${jobId}`, async () => {
      const job = await deps.queue.getJob(jobId);
      if (job !== undefined && isOpen(job) && (await job.isFailed())) {
        await giveUp(deps, job, errors.get(jobId));
        await job.updateProgress({ closed: job.finishedOn ?? 0 });
      }
      errors.delete(jobId);
    });
  };
  return {
    remember: (jobId, error) => void errors.set(jobId, error),
    close,
    async sweep() {
      for (let start = 0; ; start += PAGE) {
        const page = await deps.queue.getFailed(start, start + PAGE - 1);
        for (const job of page) {
          if (job?.id !== undefined && isOpen(job)) await close(job.id).catch(deps.onError);
        }
        if (page.length < PAGE) break;
      }
      await deps.queue.clean(KEPT_MS, 1000, 'failed');
    },
  };
}

function isOpen(job: Job): boolean {
  const closed = (job.progress as { closed?: number } | undefined)?.closed;
  return job.finishedOn !== undefined && closed !== job.finishedOn;
}

async function giveUp(deps: CloserDeps, job: Job, known: unknown): Promise<void> {
  let payload: JobOf<QueueName>;
  try {
    payload = parseJob(deps.name, job.data);
  } catch (error) {
    deps.onError(error); // it names nobody we could answer
    return;
  }
  if (deps.name === 'run') await leaveTurns(deps, payload as RunJob);
  const error =
    known instanceof Error ? known : new QueueFault('job-given-up', job.failedReason ?? 'unknown');
  await withinDeadline(deps.onGivenUp({ queue: deps.name, job: payload, error } as GivenUp), GIVE_UP_MS);
}

async function withClaim(store: QueueStore, key: string, work: () => Promise<void>): Promise<void> {
  const token = randomUUID();
  if (!(await store.claim(key, token, token, CLAIM_MS))) return;
  try {
    await work();
  } finally {
    await store.release(key, token).catch(() => {});
  }
}
