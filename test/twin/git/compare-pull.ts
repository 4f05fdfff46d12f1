import type { Thread } from '../world/world.ts';
import { git, tryGit } from './run-git.ts';

export interface PullFigures {
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  readonly commits: number;
}

const NOTHING: PullFigures = { additions: 0, deletions: 0, changedFiles: 0, commits: 0 };

/** What the pull request changes, from the merge base to its head. Asked again only when one of the two has moved. */
export async function comparePull(thread: Thread, known: Map<string, PullFigures>): Promise<PullFigures> {
  const { pull, repository } = thread;
  if (pull === null) return NOTHING;
  const range = `${pull.baseSha}...${pull.headSha}`;
  const found = known.get(range);
  if (found !== undefined) return found;
  const { exitCode, stdout } = await tryGit(repository.directory, ['diff', '--shortstat', range, '--']);
  if (exitCode !== 0) return NOTHING; // histories without a common commit
  const text = stdout.toString('utf8');
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const count = await git(repository.directory, [
    'rev-list',
    '--count',
    `${pull.baseSha}..${pull.headSha}`,
    '--',
  ]);
  const figures = {
    additions: number(/(\d+) insertion/),
    deletions: number(/(\d+) deletion/),
    changedFiles: number(/(\d+) file/),
    commits: Number(count),
  };
  known.set(range, figures);
  return figures;
}

/** Whether head and base merge without a conflict. */
export async function isMergeable(thread: Thread): Promise<boolean | null> {
  const { pull, repository } = thread;
  if (pull === null || thread.state === 'closed') return null;
  const args = ['merge-tree', '--write-tree', pull.baseSha, pull.headSha];
  return (await tryGit(repository.directory, args)).exitCode === 0;
}
