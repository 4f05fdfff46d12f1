import type { JobsOptions } from 'bullmq';
import type { JobOf, QueueName } from './jobs.ts';

const DAY_SECONDS = 24 * 3600;

/** A finished job is remembered as long as GitHub would deliver its event again. */
const KEPT_AS_LONG_AS_REDELIVERED = { age: 3 * DAY_SECONDS, count: 10_000 };
const ATTEMPTS = 5;

type Identify = { [Q in QueueName]: (job: JobOf<Q>) => JobsOptions };

/*
 * A job id makes the same thing the same job for as long as it is kept. A deduplication id merges what has not
 * begun yet; it never goes with a job id of ours, which BullMQ would lose (bullmq#4030). BullMQ refuses ids
 * that hold `:` or are bare integers, so all have a prefix.
 */
const identify: Identify = {
  acknowledge: job => ({ jobId: `ack-${job.repositoryId}-${job.commentId}` }),
  run: job => ({ jobId: runJobId(job.runId) }),
  check: job => ({ deduplication: { id: checkKey(job), keepLastIfActive: true } }),
  maintain: job => ({ deduplication: { id: maintainKey(job), keepLastIfActive: true } }),
};

/** What BullMQ shall do with this job: who it is, how often it is tried, how long it is remembered. */
export function jobOptions<Q extends QueueName>(queue: Q, job: JobOf<Q>): JobsOptions {
  const identity = identify[queue](job);
  return {
    ...identity,
    attempts: ATTEMPTS,
    backoff: { type: 'by-fault' },
    removeOnComplete: identity.jobId === undefined ? { count: 100 } : KEPT_AS_LONG_AS_REDELIVERED,
    // A failed job stays until it was given up in front of the user; closeFailedJobs removes it some time after.
    removeOnFail: false,
    stackTraceLimit: 3,
  };
}

/** The id a run's job goes by. */
export function runJobId(runId: string): string {
  return `run-${runId}`;
}

function checkKey(job: JobOf<'check'>): string {
  const subject = job.kind === 'pull' ? job.pullNumber : job.headSha;
  // One that a person asked for must not melt into one that would find the check standing.
  return `${job.isRerun ? 'rerun-' : ''}${job.kind}-${job.repositoryId}-${subject}`;
}

function maintainKey(job: JobOf<'maintain'>): string {
  return `${job.kind}-${job.repositoryId}`;
}
