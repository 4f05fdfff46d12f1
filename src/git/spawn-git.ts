import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { type EnvironmentOptions, gitEnvironment } from './git-environment.ts';
import { GitFault } from './git-fault.ts';

/** How long git may take to clean up after SIGTERM before it is killed. */
const GRACE_MS = 2000;

export interface SpawnOptions extends EnvironmentOptions {
  /** Where git starts: the root of a checkout, or the bare repository itself. */
  readonly directory: string;
  readonly args: readonly string[];
}

export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when git and its streams have ended; rejects with a fault when it could not be started. */
  readonly ended: Promise<{ readonly exitCode: number | null }>;
  /** Ends git and everything it started: SIGTERM to the group, SIGKILL two seconds later. */
  readonly stop: () => void;
}

/** Starts git without a shell, in a process group and an environment of its own. */
export function spawnGit(options: SpawnOptions): GitProcess {
  const child = spawn('git', options.args, {
    cwd: options.directory,
    env: gitEnvironment(options, process.env),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that helpers such as git-remote-https end with it
  });
  child.stdin.on('error', () => {}); // git ended without reading everything: its exit code says why
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (killer !== undefined) return;
    signalGroup(child.pid, 'SIGTERM');
    killer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
    // A helper that outlives git would hold the pipes open for ever.
    child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));
  };
  const ended = endOf(child, options.directory).finally(() => clearTimeout(killer));
  ended.catch(() => {}); // whoever waits for it sees the fault; nobody has to
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended, stop };
}

function endOf(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  directory: string,
): Promise<{ exitCode: number | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', cause => {
      child.removeAllListeners('close'); // it follows, with a made-up exit code
      startFault(cause, directory).then(reject, reject);
    });
    child.once('close', exitCode => resolve({ exitCode }));
  });
}

async function startFault(cause: Error, directory: string): Promise<GitFault> {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
    return new GitFault('git-failed', `git could not be started: ${cause.message}. Try again later.`, {
      cause,
      retry: 'later',
    });
  }
  // The same error stands for a missing program and a missing folder to start it in.
  const there = await stat(directory).catch(() => undefined);
  if (!there?.isDirectory()) {
    const message = `git could not be started: the folder ${directory} does not exist. Check the path.`;
    return new GitFault('git-failed', message, { cause });
  }
  const message = 'The program git was not found on the PATH. Install git 2.39 or newer, then try again.';
  return new GitFault('git-missing', message, { cause });
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended already.
  }
}
