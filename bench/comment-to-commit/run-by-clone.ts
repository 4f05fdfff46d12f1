import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChangeSet } from '../../src/snapshot/change-set.ts';
import { type BenchStage, REPO, WRITER } from './open-bench-stage.ts';

export interface CloneWork {
  readonly branch: string;
  readonly readme: string;
  /** The same change as the command makes, already planned: only the writing counts here. */
  readonly changes: ChangeSet;
  /** A folder that does not exist yet; it is removed again, which is not counted. */
  readonly folder: string;
}

/** The usual way, with git's own defaults: a shallow clone, files written, `add`, `commit`, `push`. Milliseconds. */
export async function runByClone({ twin, openPull }: BenchStage, work: CloneWork): Promise<number> {
  const { branch, changes, folder, readme } = work;
  twin.app.webhookUrl = null; // nobody else shall work beside it
  await openPull(branch, readme);
  const env = environmentOf(twin.tokenOf(WRITER));
  const started = performance.now();
  await git('.', env, ['clone', '--quiet', '--depth', '1', '--branch', branch, twin.gitUrl(REPO), folder]);
  for (const change of changes) await write(folder, change);
  await git(folder, env, ['add', '--all']);
  await git(folder, env, ['commit', '--quiet', '-m', 'docs: extract']);
  await git(folder, env, ['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`]);
  const milliseconds = performance.now() - started;
  await rm(folder, { recursive: true, force: true });
  return milliseconds;
}

async function write(folder: string, change: ChangeSet[number]): Promise<void> {
  if (change.kind !== 'put') throw new Error(`the clone way writes puts only, not ${change.kind}`);
  const path = join(folder, change.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, change.bytes);
}

function environmentOf(token: string): NodeJS.ProcessEnv {
  const password = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    PATH: process.env.PATH,
    HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'bench',
    GIT_AUTHOR_EMAIL: 'bench@example.com',
    GIT_COMMITTER_NAME: 'bench',
    GIT_COMMITTER_EMAIL: 'bench@example.com',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${password}`,
  };
}

function git(directory: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`git ${args[0]} ended with ${code}`)),
    );
  });
}
