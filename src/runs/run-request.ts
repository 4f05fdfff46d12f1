import { createHash } from 'node:crypto';

/**
 * One command of one comment, as ids alone: whatever else a run needs it reads from GitHub when it runs.
 * `commentDigest` is what the comment said when the event arrived; an edited comment must not act.
 */
export interface RunRequest {
  readonly runId: string;
  readonly installationId: number;
  readonly repositoryId: number;
  readonly issueNumber: number;
  readonly commentId: number;
  readonly commandIndex: number;
  readonly commentDigest: string;
}

const RUN_ID_DIGITS = 32;
const SHORT_DIGITS = 8;

/** The same event is the same run, however often it is delivered or tried. Hexadecimal. */
export function runIdOf(origin: { repositoryId: number; commentId: number; commandIndex: number }): string {
  const text = `${origin.repositoryId}/${origin.commentId}/${origin.commandIndex}`;
  return createHash('sha256').update(text).digest('hex').slice(0, RUN_ID_DIGITS);
}

/** A run's id as people see it. */
export function shortRunId(runId: string): string {
  return runId.slice(0, SHORT_DIGITS);
}

/** What a comment says, in one word. */
export function digestComment(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Where the evidence of a writing run stands on the remote; the branch and this ref move in one push. */
export function runRefOf(runId: string): string {
  return `refs/skillkeeper/runs/${runId}`;
}
