import type { Core } from '../core.ts';
import { emitThread } from '../webhooks/thread-events.ts';
import type { Account, App, Pull, Repository, Thread } from '../world/world.ts';
import { checkBody } from './comments.ts';

export interface ThreadInput {
  readonly repository: Repository;
  readonly author: Account;
  readonly viaApp?: App | null;
  readonly title: string;
  readonly body?: string | null;
  readonly labels?: readonly string[];
}

export async function openIssue(core: Core, input: ThreadInput): Promise<Thread> {
  const thread = addThread(core, input, null);
  await emitThread(core, thread, 'opened', input.author);
  return thread;
}

/** Issues and pull requests of a repository count through together. */
export function addThread(core: Core, input: ThreadInput, pull: Pull | null): Thread {
  checkBody('Issue', input.body);
  const { world } = core;
  const at = world.clock.iso();
  const { repository } = input;
  const thread: Thread = {
    id: world.nextId(),
    number: Math.max(0, ...repository.threads.keys()) + 1,
    repository,
    author: input.author,
    viaApp: input.viaApp ?? null,
    title: input.title,
    body: input.body ?? null,
    state: 'open',
    stateReason: null,
    closed: null,
    labels: input.labels ?? [],
    comments: [],
    timeline: [],
    createdAt: at,
    updatedAt: at,
    pull,
  };
  repository.threads.set(thread.number, thread);
  return thread;
}

export interface ThreadEdit {
  readonly title?: string;
  readonly body?: string | null;
  readonly base?: string;
  readonly labels?: readonly string[];
}

export async function editThread(
  core: Core,
  thread: Thread,
  edit: ThreadEdit,
  sender: Account,
): Promise<void> {
  checkBody('Issue', edit.body);
  const changes: Record<string, unknown> = {};
  if (edit.labels !== undefined) thread.labels = edit.labels;
  if (edit.title !== undefined && edit.title !== thread.title) {
    changes.title = { from: thread.title };
    thread.title = edit.title;
  }
  if (edit.body !== undefined && edit.body !== thread.body) {
    changes.body = { from: thread.body ?? '' };
    thread.body = edit.body;
  }
  if (edit.base !== undefined && thread.pull !== null && edit.base !== thread.pull.baseBranch) {
    changes.base = { ref: { from: thread.pull.baseBranch }, sha: { from: thread.pull.baseSha } };
    thread.pull.baseBranch = edit.base;
  }
  thread.updatedAt = core.world.clock.iso();
  if (Object.keys(changes).length > 0) await emitThread(core, thread, 'edited', sender, { changes });
}

export async function closeThread(
  core: Core,
  thread: Thread,
  sender: Account,
  reason?: string,
): Promise<void> {
  if (thread.state === 'closed') return;
  const at = core.world.clock.iso();
  thread.state = 'closed';
  thread.stateReason = thread.pull === null ? (reason ?? 'completed') : null;
  thread.closed = { at, by: sender };
  thread.updatedAt = at;
  note(core, thread, 'closed', sender, null);
  await emitThread(core, thread, 'closed', sender);
}

export async function markReady(core: Core, thread: Thread, sender: Account): Promise<void> {
  if (thread.pull?.draft !== true) return;
  thread.pull.draft = false;
  note(core, thread, 'ready_for_review', sender, null);
  await emitThread(core, thread, 'ready_for_review', sender);
}

type Noted = Exclude<Thread['timeline'][number]['kind'], 'committed' | 'commented'>;

export function note(core: Core, thread: Thread, kind: Noted, actor: Account, sha: string | null): void {
  const { clock, nextId } = core.world;
  thread.timeline.push({ kind, id: nextId(), actor, at: clock.iso(), sha });
}
