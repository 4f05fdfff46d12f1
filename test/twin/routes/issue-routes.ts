import { reopenThread } from '../actions/reopen-thread.ts';
import { closeThread, editThread, openIssue, type ThreadEdit } from '../actions/threads.ts';
import type { Need } from '../auth/access.ts';
import { actorOf, appOf } from '../auth/principal.ts';
import { ApiError, notAccessible, notFound } from '../http/api-error.ts';
import { paginate } from '../http/paginate.ts';
import { number, ok, type Reply, type RepositoryCall, type Route } from '../http/route.ts';
import { presentIssue } from '../present/issue.ts';
import { presentTimeline } from '../present/timeline.ts';
import type { Account, Thread } from '../world/world.ts';

/** What is said on a pull request may be said with either permission. */
export const READ_THREADS: Need = [
  ['issues', 'read'],
  ['pull_requests', 'read'],
];
export const WRITE_THREADS: Need = [
  ['issues', 'write'],
  ['pull_requests', 'write'],
];

export const issueRoutes: readonly Route[] = [
  {
    route: 'GET /repos/{owner}/{repo}/issues',
    access: 'repository',
    need: [['issues', 'read']],
    handle: listIssues,
  },
  {
    route: 'POST /repos/{owner}/{repo}/issues',
    access: 'repository',
    need: [['issues', 'write']],
    handle: createIssue,
  },
  {
    route: 'GET /repos/{owner}/{repo}/issues/{issue_number}',
    access: 'repository',
    need: READ_THREADS,
    handle: call => ok(presentIssue(call.core.world, threadOf(call))),
  },
  {
    route: 'PATCH /repos/{owner}/{repo}/issues/{issue_number}',
    access: 'repository',
    need: WRITE_THREADS,
    handle: updateIssue,
  },
  {
    route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/timeline',
    access: 'repository',
    need: READ_THREADS,
    handle: async call => {
      const entries = await presentTimeline(call.core, threadOf(call));
      return paginate(call, entries, each => each);
    },
  },
];

export function threadOf(call: RepositoryCall, name = 'issue_number'): Thread {
  const thread = call.repository.threads.get(number(call, name));
  if (thread === undefined) throw notFound();
  return thread;
}

export function sender(call: RepositoryCall): Account {
  const actor = actorOf(call.principal);
  if (actor === null) throw notAccessible();
  return actor;
}

function labelsIn(value: unknown): readonly string[] | undefined {
  const labels = value as readonly (string | { readonly name: string })[] | undefined;
  return labels?.map(each => (typeof each === 'string' ? each : each.name));
}

function listIssues(call: RepositoryCall): Reply {
  const { state = 'open', labels, creator, direction = 'desc' } = call.parameters;
  const wanted = typeof labels === 'string' ? labels.split(',') : [];
  const threads = [...call.repository.threads.values()]
    .filter(each => state === 'all' || each.state === state)
    .filter(each => creator === undefined || each.author.login === creator)
    .filter(each => wanted.every(label => each.labels.includes(label)));
  const sorted = direction === 'asc' ? threads : threads.reverse();
  return paginate(call, sorted, each => presentIssue(call.core.world, each));
}

async function createIssue(call: RepositoryCall): Promise<Reply> {
  const { body, core, repository } = call;
  if (body.title === '') throw new ApiError(422, 'Validation Failed', { errors: [missingTitle('Issue')] });
  const thread = await openIssue(core, {
    repository,
    author: sender(call),
    viaApp: appOf(call.principal),
    title: String(body.title),
    body: (body.body as string | null | undefined) ?? null,
    labels: labelsIn(body.labels) ?? [],
  });
  return ok(presentIssue(core.world, thread), 201);
}

export function missingTitle(resource: string): Record<string, string> {
  return { resource, field: 'title', code: 'missing_field' };
}

async function updateIssue(call: RepositoryCall): Promise<Reply> {
  const { body, core } = call;
  const thread = threadOf(call);
  const labels = labelsIn(body.labels);
  const edit: ThreadEdit = {
    ...(typeof body.title === 'string' ? { title: body.title } : {}),
    ...(body.body === undefined ? {} : { body: body.body as string | null }),
    ...(labels === undefined ? {} : { labels }),
  };
  await editThread(core, thread, edit, sender(call));
  await setState(call, thread);
  return ok(presentIssue(core.world, thread));
}

export async function setState(call: RepositoryCall, thread: Thread): Promise<void> {
  const { state, state_reason: reason } = call.body;
  const given = typeof reason === 'string' ? reason : undefined;
  if (state === 'closed') await closeThread(call.core, thread, sender(call), given);
  if (state === 'open') await reopenThread(call.core, thread, sender(call));
}
