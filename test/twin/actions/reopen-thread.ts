import type { Core } from '../core.ts';
import { branchHead } from '../git/refs.ts';
import { emitThread } from '../webhooks/thread-events.ts';
import type { Account, Pull, Thread } from '../world/world.ts';
import { publishHead } from './open-pull.ts';
import { note } from './threads.ts';

export async function reopenThread(core: Core, thread: Thread, sender: Account): Promise<void> {
  if (thread.state === 'open') return;
  thread.state = 'open';
  thread.stateReason = thread.pull === null ? 'reopened' : null;
  thread.closed = null;
  thread.updatedAt = core.world.clock.iso();
  if (thread.pull !== null) await catchUp(core, thread, thread.pull);
  note(core, thread, 'reopened', sender, null);
  await emitThread(core, thread, 'reopened', sender);
}

/** What was pushed while a pull request was closed shows once it is open again. */
async function catchUp(core: Core, thread: Thread, pull: Pull): Promise<void> {
  if (pull.headRepository === null) return;
  pull.headSha = (await branchHead(pull.headRepository, pull.headBranch)) ?? pull.headSha;
  pull.baseSha = (await branchHead(thread.repository, pull.baseBranch)) ?? pull.baseSha;
  await publishHead(core, thread);
}
