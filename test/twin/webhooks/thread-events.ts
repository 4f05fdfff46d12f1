import type { Core } from '../core.ts';
import { comparePull } from '../git/compare-pull.ts';
import type { Json } from '../present/account.ts';
import { presentComment } from '../present/comment.ts';
import { presentIssue } from '../present/issue.ts';
import { presentFullPull } from '../present/pull.ts';
import type { Account, Comment, Thread } from '../world/world.ts';
import { emitEvent } from './emit.ts';

export function emitComment(
  core: Core,
  comment: Comment,
  action: string,
  sender: Account,
  more: Json = {},
): void {
  const { thread } = comment;
  const issue = presentIssue(core.world, thread);
  const payload = { ...more, issue, comment: presentComment(core.world, comment) };
  emitEvent(core, { repository: thread.repository, event: 'issue_comment', action, sender, payload });
}

/** `issues` of an issue, `pull_request` of a pull request. */
export async function emitThread(
  core: Core,
  thread: Thread,
  action: string,
  sender: Account,
  more: Json = {},
): Promise<void> {
  const { world } = core;
  const { repository } = thread;
  if (thread.pull === null) {
    const payload = { ...more, issue: presentIssue(world, thread) };
    return emitEvent(core, { repository, event: 'issues', action, sender, payload });
  }
  const figures = await comparePull(thread, core.figures);
  const pull = presentFullPull(world, thread, figures, null);
  const payload = { ...more, number: thread.number, pull_request: pull };
  emitEvent(core, { repository, event: 'pull_request', action, sender, payload });
}
