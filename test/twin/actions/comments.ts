import type { Core } from '../core.ts';
import { invalid } from '../http/api-error.ts';
import { REACTIONS } from '../present/comment.ts';
import { emitComment } from '../webhooks/thread-events.ts';
import type { Account, App, Comment, Reaction, Thread } from '../world/world.ts';

const LONGEST_BODY = 65_536;

/** GitHub counts characters, so an emoji is one. Its words are the ones its API answers with. */
export function checkBody(resource: string, body: string | null | undefined): void {
  if (body == null) return;
  if ([...body].length > LONGEST_BODY) {
    throw invalid(resource, 'body', `body is too long (maximum is ${LONGEST_BODY} characters)`);
  }
}

export function createComment(
  core: Core,
  thread: Thread,
  author: Account,
  body: string,
  viaApp: App | null,
): Comment {
  checkBody('IssueComment', body);
  if (body.trim() === '') throw invalid('IssueComment', 'body', 'body cannot be blank', 'missing_field');
  const at = core.world.clock.iso();
  const comment: Comment = {
    id: core.world.nextId(),
    thread,
    author,
    viaApp,
    body,
    createdAt: at,
    updatedAt: at,
    reactions: [],
    history: [],
  };
  thread.comments.push(comment);
  thread.timeline.push({ kind: 'commented', comment });
  thread.updatedAt = at;
  emitComment(core, comment, 'created', author);
  return comment;
}

export function editComment(core: Core, comment: Comment, sender: Account, body: string): Comment {
  checkBody('IssueComment', body);
  const from = comment.body;
  comment.history.push(from);
  comment.body = body;
  comment.updatedAt = core.world.clock.iso();
  emitComment(core, comment, 'edited', sender, { changes: { body: { from } } });
  return comment;
}

export function deleteComment(core: Core, comment: Comment, sender: Account): void {
  const { comments, timeline } = comment.thread;
  comments.splice(comments.indexOf(comment), 1);
  const entry = timeline.findIndex(each => each.kind === 'commented' && each.comment === comment);
  if (entry >= 0) timeline.splice(entry, 1);
  emitComment(core, comment, 'deleted', sender);
}

/** Somebody's second reaction of the same kind is the first one: no webhook tells of any. */
export function react(
  core: Core,
  comment: Comment,
  user: Account,
  content: string,
): { reaction: Reaction; isNew: boolean } {
  if (!REACTIONS.some(each => each === content)) throw invalid('Reaction', 'content', 'content is not known');
  const present = comment.reactions.find(each => each.user === user && each.content === content);
  if (present !== undefined) return { reaction: present, isNew: false };
  const reaction: Reaction = { id: core.world.nextId(), content, user, createdAt: core.world.clock.iso() };
  comment.reactions.push(reaction);
  return { reaction, isNew: true };
}
