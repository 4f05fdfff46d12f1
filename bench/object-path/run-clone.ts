import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChangeSet } from '../../src/snapshot/change-set.ts';
import { TOKEN } from './make-forge.ts';
import { type Phases, timed } from './phases.ts';

export interface CloneWork {
  readonly parent: string;
  readonly url: string;
  readonly branch: string;
  /** The same change as on the object path, already planned: only the writing counts here. */
  readonly changes: ChangeSet;
}

/** The usual way: a shallow clone, files written, `add`, `commit`, `push`. Plain git with its own defaults. */
export async function runClone(work: CloneWork): Promise<Phases> {
  const phases: Phases = new Map();
  const folder = await mkdtemp(join(work.parent, 'clone-'));
  const clone = ['clone', '--quiet', '--depth', '1', '--branch', work.branch, work.url, folder];
  await timed(phases, 'clone --depth 1', () => git(work.parent, clone));
  await timed(phases, 'write and commit', async () => {
    for (const change of work.changes) await write(folder, change);
    await git(folder, ['add', '--all']);
    await git(folder, ['commit', '--quiet', '-m', 'docs: extract']);
  });
  await timed(phases, 'push', () =>
    git(folder, ['push', '--quiet', 'origin', `HEAD:refs/heads/${work.branch}`]),
  );
  await timed(phases, 'clean up', () => rm(folder, { recursive: true, force: true }));
  return phases;
}

async function write(folder: string, change: ChangeSet[number]): Promise<void> {
  if (change.kind !== 'put') throw new Error(`the clone path writes puts only, not ${change.kind}`);
  const path = join(folder, change.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, change.bytes);
}

function git(directory: string, args: readonly string[]): Promise<void> {
  const password = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
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
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`git ${args[0]} ended with ${code}`)),
    );
  });
}
