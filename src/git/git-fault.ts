import { Fault, type Retry } from '../fault/fault.ts';

/** The stable codes of everything git can do wrong for us. */
export type GitFaultCode =
  | 'git-missing'
  | 'git-failed'
  | 'git-timed-out'
  | 'git-aborted'
  | 'git-output-too-large'
  | 'git-remote-refused'
  | 'git-network'
  | 'git-auth'
  | 'git-redirected'
  | 'git-object-missing'
  | 'git-object-too-large'
  | 'git-object-unexpected'
  | 'git-bad-name'
  | 'git-bad-output'
  | 'git-commit-differs';

export interface GitFaultDetails {
  /** What git ended with; null when a signal ended it or it never ran. */
  readonly exitCode?: number | null;
  /** The arguments after `git`. Secrets never travel there. */
  readonly args?: readonly string[];
  /** The end of what git said, redacted. */
  readonly stderr?: string;
  readonly retry?: Retry;
  readonly cause?: unknown;
}

/** A fault of a git command or of what it answered. Message, `args` and `stderr` hold no secrets. */
export class GitFault extends Fault {
  declare readonly code: GitFaultCode;
  readonly exitCode: number | null;
  readonly args: readonly string[];
  readonly stderr: string;

  constructor(code: GitFaultCode, message: string, details: GitFaultDetails = {}) {
    super(code, message, {
      retry: details.retry ?? 'never',
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.name = 'GitFault';
    this.exitCode = details.exitCode ?? null;
    this.args = details.args ?? [];
    this.stderr = details.stderr ?? '';
  }
}
