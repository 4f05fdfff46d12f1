import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../../dist/src/cli/main.js');

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program in a folder, as a user would; standard output is no terminal. */
export function runCli(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { code: status, stdout, stderr };
}

/** Runs it on a pseudo-terminal (`script` of util-linux), where it may use colour. */
export function runCliOnTerminal(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const command = [process.execPath, PROGRAM, ...args].map(quote).join(' ');
  return execFileSync('script', ['-qec', command, '/dev/null'], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
