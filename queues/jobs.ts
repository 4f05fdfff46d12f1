import { z } from 'zod';
import { QueueFault } from './queue-fault.ts';

/*
 * A payload carries ids alone. What they stand for is read from GitHub when the job runs: events come late,
 * twice and in any order, and what was true on arrival need not be true any more.
 */

const githubId = z.number().int().positive();
const commitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'not a commit id');
const runId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'not a run id');
const repository = { installationId: githubId, repositoryId: githubId };

const acknowledge = z.strictObject({ ...repository, commentId: githubId, runIds: z.array(runId).optional() });

const run = z.strictObject({
  ...repository,
  runId,
  issueNumber: githubId,
  commentId: githubId,
  commandIndex: z.number().int().min(0).max(999),
  /** What the comment said on arrival (SHA-256): an edited comment must not act. */
  commentDigest: z.string().regex(/^[0-9a-f]{64}$/, 'not a digest'),
  commentCreatedAt: z.iso.datetime({ offset: true }),
  isWriting: z.boolean(),
});

/** True when a person asked to run a check again that stands already. */
const asked = { isRerun: z.boolean().optional() };

const check = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pull'), ...repository, ...asked, pullNumber: githubId }),
  z.strictObject({ kind: z.literal('commit'), ...repository, ...asked, headSha: commitId }),
  z.strictObject({
    kind: z.literal('merge-group'),
    ...repository,
    ...asked,
    headSha: commitId,
    baseSha: commitId,
  }),
]);

const maintain = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('refresh-store'), ...repository }),
  z.strictObject({ kind: z.literal('forget-repository'), repositoryId: githubId }),
]);

/** One schema per queue: the payload's type, checked when it goes in and again when it comes out. */
export const jobSchemas = { acknowledge, run, check, maintain };

export type QueueName = keyof typeof jobSchemas;
export type JobOf<Q extends QueueName> = z.infer<(typeof jobSchemas)[Q]>;

/** The eyes on a comment. Its own queue, so that it is not behind the work it announces. */
export type AcknowledgeJob = JobOf<'acknowledge'>;
/** One command of one comment. `isWriting` says whether it takes its turn among the writing runs of its PR. */
export type RunJob = JobOf<'run'>;
/** The checks of a pull request, of a commit, or of a merge group (`headSha` on top of `baseSha`). */
export type CheckJob = JobOf<'check'>;
/** Housekeeping nobody waits for. */
export type MaintainJob = JobOf<'maintain'>;

export const queueNames = Object.keys(jobSchemas) as QueueName[];

/** The payload, proven; a `job-invalid` fault (never retried) that names every field that is wrong. */
export function parseJob<Q extends QueueName>(queue: Q, payload: unknown): JobOf<Q> {
  const parsed = jobSchemas[queue].safeParse(payload);
  if (parsed.success) return parsed.data as JobOf<Q>;
  const wrong = parsed.error.issues.map(issue => `${issue.path.join('.') || 'payload'}: ${issue.message}`);
  throw new QueueFault('job-invalid', `This is no "${queue}" job (${wrong.join('; ')}). It was dropped.`);
}
