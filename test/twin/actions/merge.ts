import type { Core } from '../core.ts';
import { readCommit } from '../git/read-commits.ts';
import { branchHead, moveRefs, ZERO } from '../git/refs.ts';
import { git } from '../git/run-git.ts';
import type { Json } from '../present/account.ts';
import { emitEvent } from '../webhooks/emit.ts';
import { emitPush } from '../webhooks/push-event.ts';
import { must } from '../world/look-up.ts';
import type { Account, Repository, Thread } from '../world/world.ts';
import { requestSuites } from './checks.ts';
import { tellMoves } from './move-refs.ts';

/** Merges with a merge commit, as the button does. The push to the base then closes the pull request. */
export async function mergePull(core: Core, thread: Thread, sender: Account): Promise<string> {
  const { repository, pull } = thread;
  if (pull === null) throw new Error(`#${thread.number} is no pull request.`);
  const before = must(await branchHead(repository, pull.baseBranch), `branch ${pull.baseBranch}`);
  const message = `Merge pull request #${thread.number} from ${pull.headBranch}`;
  const after = await mergeCommit(repository, before, pull.headSha, message);
  const move = { ref: `refs/heads/${pull.baseBranch}`, before, after };
  await moveRefs(repository, [move]);
  await tellMoves(core, repository, [move], sender);
  return after;
}

async function mergeCommit(
  repository: Repository,
  base: string,
  head: string,
  message: string,
): Promise<string> {
  const tree =
    (await git(repository.directory, ['merge-tree', '--write-tree', base, head])).split('\n')[0] ?? '';
  return git(repository.directory, ['commit-tree', tree, '-p', base, '-p', head, '-m', message]);
}

export interface MergeGroup {
  readonly ref: string;
  readonly headSha: string;
  readonly baseSha: string;
}

/** Puts a pull request into the merge queue: a branch of GitHub's own, and a call for checks on its head. */
export async function queuePull(core: Core, thread: Thread, sender: Account): Promise<MergeGroup> {
  const { repository, pull } = thread;
  if (pull === null) throw new Error(`#${thread.number} is no pull request.`);
  const baseSha = must(await branchHead(repository, pull.baseBranch), `branch ${pull.baseBranch}`);
  const message = `Merge pull request #${thread.number} from ${pull.headBranch}`;
  const headSha = await mergeCommit(repository, baseSha, pull.headSha, message);
  const branch = `gh-readonly-queue/${pull.baseBranch}/pr-${thread.number}-${baseSha}`;
  const ref = `refs/heads/${branch}`;
  const move = { ref, before: ZERO, after: headSha };
  await moveRefs(repository, [move]);
  await emitPush(core, repository, move, sender);
  await requestSuites(core, repository, headSha, branch, null, sender);
  const group = {
    head_sha: headSha,
    head_ref: ref,
    base_sha: baseSha,
    base_ref: `refs/heads/${pull.baseBranch}`,
    head_commit: await presentHead(repository, headSha),
  };
  const payload = { merge_group: group };
  emitEvent(core, { repository, event: 'merge_group', action: 'checks_requested', sender, payload });
  return { ref, headSha, baseSha };
}

async function presentHead(repository: Repository, sha: string): Promise<Json> {
  const commit = await readCommit(repository, sha);
  const { author, committer } = commit;
  return {
    id: commit.id,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: committer.date,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  };
}
