import type { Commit, Person } from '../git/read-commits.ts';
import { emailOf } from '../git/write-commit.ts';
import { fullName } from '../world/look-up.ts';
import type { Account, Repository, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';
import { repositoryUrl } from './repository.ts';

export function presentCommit(world: World, repository: Repository, commit: Commit): Json {
  const api = repositoryUrl(world.origin, repository);
  const page = `${world.origin}/${fullName(repository)}/commit`;
  const links = (sha: string): Json => ({ sha, url: `${api}/commits/${sha}`, html_url: `${page}/${sha}` });
  const git = `${api}/git`;
  return {
    ...links(commit.id),
    node_id: nodeId('C', Number.parseInt(commit.id.slice(0, 8), 16)),
    comments_url: `${api}/commits/${commit.id}/comments`,
    commit: {
      author: { ...commit.author },
      committer: { ...commit.committer },
      message: commit.message,
      tree: { sha: commit.tree, url: `${git}/trees/${commit.tree}` },
      url: `${git}/commits/${commit.id}`,
      comment_count: 0,
      verification: { ...UNSIGNED },
    },
    author: presentPerson(world, commit.author),
    committer: presentPerson(world, commit.committer),
    parents: commit.parents.map(links),
  };
}

export const UNSIGNED = {
  verified: false,
  reason: 'unsigned',
  signature: null,
  payload: null,
  verified_at: null,
};

/** The account whose no-reply address the commit carries. */
export function accountOf(world: World, person: Person): Account | undefined {
  return [...world.accounts.values()].find(each => emailOf(each) === person.email);
}

function presentPerson(world: World, person: Person): Json | null {
  const account = accountOf(world, person);
  return account === undefined ? null : presentAccount(world.origin, account);
}
