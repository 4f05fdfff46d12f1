import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../dist/src/app/main.js');

const START_MS = 60_000;

export interface AppProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it wrote, both streams. */
  readonly output: () => string;
  /** Sends a signal and waits until it is gone; gives its exit code (null when a signal ended it). */
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>;
}

/** Starts the built app as `npm start` would, and waits until it says that it is ready. */
export async function startProcess(
  role: 'all' | 'web' | 'worker',
  env: Readonly<Record<string, string>>,
): Promise<AppProcess> {
  const child = spawn(process.execPath, [MAIN, role], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const ready = /"url":"(http:[^"]+)"[^\n]*skillkeeper is ready/u.exec(text);
      if (!ready?.[1]) return;
      clearTimeout(timer);
      resolve(ready[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the app was not ready after ${START_MS} ms:\n${text}`));
    }, START_MS);
    child.once('exit', code => reject(new Error(`the app ended with ${code} before it was ready:\n${text}`)));
  });
  return {
    child,
    url,
    output: () => text,
    end: async signal => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      await once(child, 'exit');
      return child.exitCode;
    },
  };
}
