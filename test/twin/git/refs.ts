import type { Repository } from '../world/world.ts';
import { git, tryGit } from './run-git.ts';

export const ZERO = '0'.repeat(40);

export interface RefMove {
  /** Full name. */
  readonly ref: string;
  /** Zeros: it did not exist. */
  readonly before: string;
  /** Zeros: it is removed. */
  readonly after: string;
}

/** Full name to the id it holds. */
export async function readRefs(
  repository: Repository,
  prefix = 'refs/',
): Promise<ReadonlyMap<string, string>> {
  const text = await git(repository.directory, ['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map(line => line.split(' ') as [string, string]),
  );
}

export async function readRef(repository: Repository, ref: string): Promise<string | undefined> {
  const { exitCode, stdout } = await tryGit(repository.directory, ['rev-parse', '--verify', '--quiet', ref]);
  return exitCode === 0 ? stdout.toString('utf8').trim() : undefined;
}

export function branchHead(repository: Repository, branch: string): Promise<string | undefined> {
  return readRef(repository, `refs/heads/${branch}`);
}

/** A branch, a tag, `heads/x`, or a commit id (whole or short), as the routes that take a `ref` accept them. */
export async function resolveCommit(repository: Repository, name: string): Promise<string | undefined> {
  if (name.startsWith('-') || name.includes('..')) return undefined;
  for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`, `refs/${name}`]) {
    const found = await readRef(repository, `${ref}^{commit}`);
    if (found !== undefined) return found;
  }
  return /^[0-9a-f]{4,40}$/.test(name) || name === 'HEAD'
    ? readRef(repository, `${name}^{commit}`)
    : undefined;
}

/** Moves all or none; gives git's words when a ref does not stand where it was expected. */
export async function moveRefs(repository: Repository, moves: readonly RefMove[]): Promise<string | null> {
  const lines = moves.map(({ ref, before, after }) => `update ${ref}\0${after}\0${before}\0`);
  const input = `start\0${lines.join('')}prepare\0commit\0`;
  const { exitCode, stderr } = await tryGit(repository.directory, ['update-ref', '--stdin', '-z'], input);
  return exitCode === 0 ? null : stderr.replace(/^fatal: (?:prepare: )?/, '').trim();
}

export async function isAncestor(repository: Repository, ancestor: string, of: string): Promise<boolean> {
  const { exitCode } = await tryGit(repository.directory, ['merge-base', '--is-ancestor', ancestor, of]);
  return exitCode === 0;
}
