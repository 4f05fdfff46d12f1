import type { ExtraVariable, GitProfile } from './git-environment.ts';
import { GitFault, type GitFaultCode } from './git-fault.ts';
import { type Redact, redactorFor } from './redact.ts';
import type { Remote } from './remote.ts';
import { type GitProcess, spawnGit } from './spawn-git.ts';

const LOCAL_TIMEOUT_MS = 60_000;
const REMOTE_TIMEOUT_MS = 300_000;
const MAX_STDOUT_BYTES = 64 * 1024 * 1024;
const KEPT_STDERR_BYTES = 64 * 1024;
const SHOWN_STDERR_CHARACTERS = 4000;

export interface GitCall {
  /** Where git starts: the root of a checkout, or the bare repository itself. */
  readonly directory: string;
  /** The repository; without it git looks for one upwards from `directory`. */
  readonly gitDirectory?: string;
  /** Everything after `git`. Secrets do not belong here: they go by `remote`. */
  readonly args: readonly string[];
  /** What git reads on its standard input. */
  readonly input?: Uint8Array | string;
  /** Opens the network to this remote alone, with its token. Without it no protocol works at all. */
  readonly remote?: Remote;
  readonly profile?: GitProfile;
  readonly config?: readonly (readonly [key: string, value: string])[];
  readonly env?: Readonly<Partial<Record<ExtraVariable, string>>>;
  /** Exit codes that are answers, not faults; `[0]` when left out. */
  readonly exitCodes?: readonly number[];
  /** Milliseconds; one minute without a remote, five with one. */
  readonly timeoutMs?: number;
  /** The most bytes accepted on standard output; 64 MiB when left out. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The end of what git said (up to 64 KiB), redacted. */
  readonly stderr: string;
}

/**
 * Runs git once: no shell, an environment built from nothing, a group that is ended whole at the timeout, at
 * `signal` or when the output passes `maxBytes`. Gives what git wrote when its exit code is one of `exitCodes`.
 *
 * Rejects with a `GitFault`: `git-missing`, `git-failed` (any other exit code), `git-timed-out` (retry later),
 * `git-aborted`, `git-output-too-large`. No secret stands in any of its texts.
 */
export async function runGit(call: GitCall): Promise<GitResult> {
  const redact = redactorFor(secretsOf(call.remote));
  if (call.signal?.aborted) throw endedEarly('git-aborted', call, redact, '');
  const git = spawnGit({
    directory: call.directory,
    args: call.args,
    profile: call.profile ?? 'sealed',
    ...(call.gitDirectory === undefined ? {} : { gitDirectory: call.gitDirectory }),
    ...(call.remote === undefined ? {} : { remote: call.remote }),
    ...(call.config === undefined ? {} : { config: call.config }),
    ...(call.env === undefined ? {} : { extra: call.env }),
  });
  git.stdin.end(call.input ?? '');
  const stderr = keepEnd(git);
  const watch = watchOver(git, call);
  try {
    const { exitCode } = await git.ended;
    const said = redact(stderr());
    const early = watch.endedBy();
    if (early !== undefined) throw endedEarly(early, call, redact, said);
    if (exitCode === null || !(call.exitCodes ?? [0]).includes(exitCode)) {
      throw failed(call, redact, exitCode, said);
    }
    return { exitCode, stdout: watch.stdout(), stderr: said };
  } finally {
    watch.release();
  }
}

/** The secrets that belong to a call, to be taken out of everything it says. */
export function secretsOf(remote: Remote | undefined): string[] {
  const token = remote?.token();
  return token === undefined ? [] : [token];
}

type EarlyEnd = 'git-timed-out' | 'git-aborted' | 'git-output-too-large';

interface Watch {
  readonly stdout: () => Buffer;
  readonly endedBy: () => EarlyEnd | undefined;
  readonly release: () => void;
}

/** Collects the output and ends git when it takes too long, says too much or is no longer wanted. */
function watchOver(git: GitProcess, call: GitCall): Watch {
  const chunks: Buffer[] = [];
  let size = 0;
  let early: EarlyEnd | undefined;
  const end = (why: EarlyEnd): void => {
    early ??= why;
    git.stop();
  };
  git.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > (call.maxBytes ?? MAX_STDOUT_BYTES)) return end('git-output-too-large');
    chunks.push(chunk);
  });
  const timer = setTimeout(() => end('git-timed-out'), timeoutOf(call));
  const abort = (): void => end('git-aborted');
  call.signal?.addEventListener('abort', abort, { once: true });
  return {
    stdout: () => Buffer.concat(chunks),
    endedBy: () => early,
    release: () => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
    },
  };
}

/** Keeps the last lines of standard error. A line that was cut is dropped whole: it could end inside a secret. */
function keepEnd(git: GitProcess): () => string {
  let kept = Buffer.alloc(0);
  let cut = false;
  git.stderr.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length <= KEPT_STDERR_BYTES) return;
    kept = kept.subarray(kept.length - KEPT_STDERR_BYTES);
    cut = true;
  });
  return () => {
    const text = kept.toString('utf8');
    if (!cut) return text;
    const end = text.indexOf('\n');
    return end < 0 ? '' : text.slice(end + 1);
  };
}

function timeoutOf(call: GitCall): number {
  return call.timeoutMs ?? (call.remote === undefined ? LOCAL_TIMEOUT_MS : REMOTE_TIMEOUT_MS);
}

function endedEarly(code: EarlyEnd, call: GitCall, redact: Redact, said: string): GitFault {
  const name = `git ${call.args[0] ?? ''}`.trim();
  const message = {
    'git-timed-out': `${name} was stopped after ${timeoutOf(call)} ms: it took too long. Try again later.`,
    'git-aborted': `${name} was stopped: the work it belonged to was cancelled.`,
    'git-output-too-large': `${name} was stopped: it wrote more than ${call.maxBytes ?? MAX_STDOUT_BYTES} bytes. Ask for less at once.`,
  }[code];
  const retry = code === 'git-timed-out' ? 'later' : 'never';
  return fault(code, message, call, redact, said, { exitCode: null, retry });
}

function failed(call: GitCall, redact: Redact, exitCode: number | null, said: string): GitFault {
  const end = exitCode === null ? 'was ended by a signal' : `failed with exit code ${exitCode}`;
  const why = said.trim() === '' ? 'it gave no reason' : shorten(said);
  const message = `git ${call.args[0] ?? ''} ${end}: ${why}`;
  return fault('git-failed', message, call, redact, said, { exitCode, retry: 'never' });
}

function fault(
  code: GitFaultCode,
  message: string,
  call: GitCall,
  redact: Redact,
  said: string,
  details: { exitCode: number | null; retry: 'never' | 'later' },
): GitFault {
  return new GitFault(code, message, { ...details, args: call.args.map(redact), stderr: shorten(said) });
}

function shorten(said: string): string {
  const text = said.trim();
  return text.length <= SHOWN_STDERR_CHARACTERS ? text : `...${text.slice(-SHOWN_STDERR_CHARACTERS)}`;
}
