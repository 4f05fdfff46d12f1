import type { Core } from '../core.ts';
import { type Commit, type Person, readCommits } from '../git/read-commits.ts';
import { isAncestor, type RefMove, ZERO } from '../git/refs.ts';
import { emailOf } from '../git/write-commit.ts';
import type { Json } from '../present/account.ts';
import { accountOf } from '../present/commit.ts';
import { fullName } from '../world/look-up.ts';
import type { Account, Repository } from '../world/world.ts';
import { emitEvent } from './emit.ts';

// "A maximum of 2048 commits": far above what a test pushes, so the twin says no number of its own.
export async function emitPush(
  core: Core,
  repository: Repository,
  move: RefMove,
  sender: Account,
): Promise<void> {
  const { before, after, ref } = move;
  const created = before === ZERO;
  const deleted = after === ZERO;
  const commits = deleted ? [] : await readCommits(repository, rangeOf(repository, move));
  const [head] = deleted ? [] : await readCommits(repository, ['-1', after]);
  const page = `${core.world.origin}/${fullName(repository)}`;
  const present = (commit: Commit): Json => presentPushed(core, page, commit);
  const payload = {
    ref,
    before,
    after,
    created,
    deleted,
    forced: !created && !deleted && !(await isAncestor(repository, before, after)),
    base_ref: null,
    compare: `${page}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: commits.map(present),
    head_commit: head === undefined ? null : present(head),
    pusher: { name: sender.login, email: emailOf(sender) },
  };
  emitEvent(core, { repository, event: 'push', action: null, sender, payload });
}

function rangeOf(repository: Repository, { ref, before, after }: RefMove): readonly string[] {
  if (before !== ZERO) return [after, `^${before}`];
  const trunk = `refs/heads/${repository.defaultBranch}`;
  return ref === trunk ? [after] : ['--ignore-missing', after, `^${trunk}`];
}

function presentPushed(core: Core, page: string, commit: Commit): Json {
  const person = ({ name, email, date }: Person): Json => {
    const username = accountOf(core.world, { name, email, date })?.login;
    return { name, email, date, ...(username === undefined ? {} : { username }) };
  };
  return {
    id: commit.id,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${page}/commit/${commit.id}`,
    author: person(commit.author),
    committer: person(commit.committer),
    added: commit.added,
    removed: commit.removed,
    modified: commit.modified,
  };
}
