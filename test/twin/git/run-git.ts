import { spawn } from 'node:child_process';

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: '/dev/null',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
  GIT_AUTHOR_NAME: 'GitHub',
  GIT_AUTHOR_EMAIL: 'noreply@github.com',
};

/** Runs git in a bare repository and gives what it wrote; fails on any exit code but zero. */
export async function git(
  directory: string,
  args: readonly string[],
  input?: Buffer | string,
): Promise<string> {
  const { exitCode, stdout, stderr } = await tryGit(directory, args, input);
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')} ended with ${exitCode}: ${stderr.trim()}`);
  return stdout.toString('utf8').replace(/\n$/, '');
}

export function tryGit(
  directory: string,
  args: readonly string[],
  input?: Buffer | string,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: directory, env: ENVIRONMENT, stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => {});
    child.once('error', reject);
    child.once('close', code => {
      const stderr = Buffer.concat(err).toString('utf8');
      resolve({ exitCode: code ?? -1, stdout: Buffer.concat(out), stderr });
    });
    child.stdin.end(input ?? '');
  });
}
