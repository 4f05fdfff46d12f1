import type { Repository } from '../world/world.ts';
import { git } from './run-git.ts';

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x01');

/** Commits of a range (arguments of `git log`), oldest first, with the files each one touched. */
export async function readCommits(
  repository: Repository,
  range: readonly string[],
): Promise<readonly Commit[]> {
  const args = [
    'log',
    '--reverse',
    '--no-renames',
    '--name-status',
    '-z',
    `--format=%x02${FORMAT}%x03`,
    ...range,
  ];
  const text = await git(repository.directory, [...args, '--']);
  return text.split('\x02').slice(1).map(parseCommit);
}

export async function readCommit(repository: Repository, id: string): Promise<Commit> {
  const [commit] = await readCommits(repository, ['-1', id]);
  if (commit === undefined) throw new Error(`There is no commit ${id}.`);
  return commit;
}

function parseCommit(text: string): Commit {
  const [head = '', tail = ''] = text.split('\x03');
  const fields = head.split('\x01');
  const field = (index: number): string => fields[index] ?? '';
  const names = tail
    .split('\0')
    .map(each => each.trim())
    .filter(Boolean);
  const touched = (status: string): readonly string[] =>
    names.filter((_, index) => index % 2 === 1 && names[index - 1]?.startsWith(status) === true);
  return {
    id: field(0),
    tree: field(1),
    parents: field(2).split(' ').filter(Boolean),
    author: { name: field(3), email: field(4), date: field(5) },
    committer: { name: field(6), email: field(7), date: field(8) },
    message: field(9).replace(/\n+$/, ''),
    added: touched('A'),
    modified: [...touched('M'), ...touched('T')],
    removed: touched('D'),
  };
}
