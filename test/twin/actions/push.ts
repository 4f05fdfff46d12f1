import type { Core } from '../core.ts';
import { branchHead, moveRefs, type RefMove, ZERO } from '../git/refs.ts';
import { git } from '../git/run-git.ts';
import { type TwinFile, writeCommit } from '../git/write-commit.ts';
import { must } from '../world/look-up.ts';
import type { Account, Repository } from '../world/world.ts';
import { tellMoves } from './move-refs.ts';

export interface PushInput {
  readonly repository: Repository;
  readonly branch: string;
  readonly author: Account;
  readonly files: Readonly<Record<string, TwinFile>>;
  readonly message: string;
  /** Where a branch that does not exist yet starts; the default branch when left out. */
  readonly from?: string;
  /** Rewrites the branch: the new commit stands on this one instead of on the branch's head. */
  readonly onto?: string;
}

/** Writes one commit on a branch, as a person's push would, with all that follows from it. */
export async function pushCommit(core: Core, input: PushInput): Promise<string> {
  const { repository, branch, author } = input;
  const before = await branchHead(repository, branch);
  const start = input.from ?? (await branchHead(repository, repository.defaultBranch)) ?? null;
  const parent = input.onto ?? before ?? start;
  const time = core.world.clock.now();
  const { files, message } = input;
  const after = await writeCommit(repository, { files, message, parent, author, time });
  await apply(core, repository, { ref: `refs/heads/${branch}`, before: before ?? ZERO, after }, author);
  return after;
}

/** Sets a branch back to a commit that is there already. */
export async function rewindBranch(
  core: Core,
  repository: Repository,
  branch: string,
  to: string,
  sender: Account,
): Promise<string> {
  const before = must(await branchHead(repository, branch), `branch ${branch}`);
  const after = await git(repository.directory, ['rev-parse', '--verify', `${to}^{commit}`]);
  await apply(core, repository, { ref: `refs/heads/${branch}`, before, after }, sender);
  return after;
}

export async function deleteBranch(
  core: Core,
  repository: Repository,
  branch: string,
  sender: Account,
): Promise<void> {
  const before = must(await branchHead(repository, branch), `branch ${branch}`);
  await apply(core, repository, { ref: `refs/heads/${branch}`, before, after: ZERO }, sender);
}

async function apply(core: Core, repository: Repository, move: RefMove, sender: Account): Promise<void> {
  const problem = await moveRefs(repository, [move]);
  if (problem !== null) throw new Error(`The push to ${move.ref} was refused: ${problem}`);
  await tellMoves(core, repository, [move], sender);
}
