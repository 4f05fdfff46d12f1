import type { Core } from '../core.ts';
import { isAncestor, type RefMove, ZERO } from '../git/refs.ts';
import { emitPush } from '../webhooks/push-event.ts';
import { emitThread } from '../webhooks/thread-events.ts';
import { pullsFrom } from '../world/look-up.ts';
import type { Account, Repository, Thread } from '../world/world.ts';
import { requestSuites } from './checks.ts';
import { noteCommits, publishHead } from './open-pull.ts';
import { closeThread, note } from './threads.ts';

/** What follows on GitHub when refs of a repository have moved, whoever moved them and by whichever way. */
export async function tellMoves(
  core: Core,
  repository: Repository,
  moves: readonly RefMove[],
  sender: Account,
): Promise<void> {
  repository.pushedAt = core.world.clock.iso();
  for (const move of moves) {
    // Refs of other kinds (`refs/skillkeeper/…`) make no webhook.
    if (move.ref.startsWith('refs/tags/')) await emitPush(core, repository, move, sender);
    if (move.ref.startsWith('refs/heads/')) await tellBranch(core, repository, move, sender);
  }
}

async function tellBranch(core: Core, repository: Repository, move: RefMove, sender: Account): Promise<void> {
  const branch = move.ref.slice('refs/heads/'.length);
  await emitPush(core, repository, move, sender);
  for (const thread of pullsFrom(core.world, repository, branch)) {
    if (thread.state === 'open') await moveHead(core, thread, move, sender);
  }
  if (move.after !== ZERO) {
    const before = move.before === ZERO ? null : move.before;
    await requestSuites(core, repository, move.after, branch, before, sender);
  }
  for (const thread of repository.threads.values()) {
    if (thread.state === 'open' && thread.pull?.baseBranch === branch)
      await moveBase(core, thread, move, sender);
  }
}

/** A deleted head branch closes its pull request. */
async function moveHead(core: Core, thread: Thread, move: RefMove, sender: Account): Promise<void> {
  const { pull, repository } = thread;
  if (pull === null) return;
  if (move.after === ZERO) {
    await closeThread(core, thread, sender);
    return note(core, thread, 'head_ref_deleted', sender, null);
  }
  const before = pull.headSha;
  pull.headSha = move.after;
  thread.updatedAt = core.world.clock.iso();
  await publishHead(core, thread);
  if (await isAncestor(repository, before, move.after)) await noteCommits(thread, before);
  else {
    note(core, thread, 'head_ref_force_pushed', sender, move.after);
    await noteCommits(thread, pull.baseSha);
  }
  await emitThread(core, thread, 'synchronize', sender, { before, after: move.after });
}

/** A base that now holds the head has merged it; a deleted base closes. */
async function moveBase(core: Core, thread: Thread, move: RefMove, sender: Account): Promise<void> {
  const { pull, repository } = thread;
  if (pull === null) return;
  if (move.after === ZERO) return closeThread(core, thread, sender);
  const isMerged = await isAncestor(repository, pull.headSha, move.after);
  if (!isMerged) {
    pull.baseSha = move.after;
    return;
  }
  pull.merged = { at: core.world.clock.iso(), by: sender, sha: move.after };
  note(core, thread, 'merged', sender, move.after);
  await closeThread(core, thread, sender);
}
