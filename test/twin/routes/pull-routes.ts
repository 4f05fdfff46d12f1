import { openPull } from '../actions/open-pull.ts';
import { editThread } from '../actions/threads.ts';
import { canSee } from '../auth/access.ts';
import { appOf } from '../auth/principal.ts';
import { comparePull, isMergeable } from '../git/compare-pull.ts';
import { branchHead } from '../git/refs.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { paginate } from '../http/paginate.ts';
import { ok, type Reply, type RepositoryCall, type Route } from '../http/route.ts';
import { presentFullPull, presentPull } from '../present/pull.ts';
import type { Repository, Thread } from '../world/world.ts';
import { missingTitle, sender, setState, threadOf } from './issue-routes.ts';

export const pullRoutes: readonly Route[] = [
  {
    route: 'GET /repos/{owner}/{repo}/pulls',
    access: 'repository',
    need: [['pull_requests', 'read']],
    handle: listPulls,
  },
  {
    route: 'POST /repos/{owner}/{repo}/pulls',
    access: 'repository',
    need: [['pull_requests', 'write']],
    handle: createPull,
  },
  {
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    access: 'repository',
    need: [['pull_requests', 'read']],
    handle: async call => ok(await present(call, pullOf(call))),
  },
  {
    route: 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
    access: 'repository',
    need: [['pull_requests', 'write']],
    handle: updatePull,
  },
];

function pullOf(call: RepositoryCall): Thread {
  const thread = threadOf(call, 'pull_number');
  if (thread.pull === null) throw notFound();
  return thread;
}

async function present({ core }: RepositoryCall, thread: Thread): Promise<unknown> {
  const figures = await comparePull(thread, core.figures);
  return presentFullPull(core.world, thread, figures, await isMergeable(thread));
}

/** `head` is `owner:branch`; "the default is desc when sort is created". */
function listPulls(call: RepositoryCall): Reply {
  const { state = 'open', head, base, sort = 'created', direction } = call.parameters;
  const threads = [...call.repository.threads.values()]
    .filter(({ pull }) => pull !== null)
    .filter(each => state === 'all' || each.state === state)
    .filter(({ pull }) => base === undefined || pull?.baseBranch === base)
    .filter(
      ({ pull }) => head === undefined || `${pull?.headRepository?.owner.login}:${pull?.headBranch}` === head,
    );
  if (sort === 'updated') threads.sort((a, b) => a.updatedAt.localeCompare(b.updatedAt));
  const falls = (direction ?? (sort === 'created' ? 'desc' : 'asc')) === 'desc';
  return paginate(call, falls ? threads.reverse() : threads, each => presentPull(call.core.world, each));
}

async function createPull(call: RepositoryCall): Promise<Reply> {
  const { body, core, repository } = call;
  if (typeof body.title !== 'string' || body.title === '') {
    throw new ApiError(422, 'Validation Failed', { errors: [missingTitle('PullRequest')] });
  }
  const { headRepository, head } = headOf(call, String(body.head));
  const thread = await openPull(core, {
    repository,
    author: sender(call),
    viaApp: appOf(call.principal),
    title: body.title,
    body: (body.body as string | undefined) ?? null,
    headRepository,
    head,
    base: String(body.base),
    draft: body.draft === true,
    maintainerCanModify: body.maintainer_can_modify === true,
  });
  return ok(await present(call, thread), 201);
}

function headOf(call: RepositoryCall, value: string): { headRepository: Repository; head: string } {
  const { core, repository, principal } = call;
  const [owner, ...rest] = value.split(':');
  if (rest.length === 0) return { headRepository: repository, head: value };
  const found = [...core.world.repositories.values()].find(
    each => each.owner.login === owner && (each === repository || each.forkOf === repository),
  );
  if (found === undefined || !canSee(principal, found)) {
    const errors = [{ resource: 'PullRequest', field: 'head', code: 'invalid' }];
    throw new ApiError(422, 'Validation Failed', { errors });
  }
  return { headRepository: found, head: rest.join(':') };
}

async function updatePull(call: RepositoryCall): Promise<Reply> {
  const { body, core } = call;
  const thread = pullOf(call);
  await refuseReopening(call, thread);
  if (typeof body.maintainer_can_modify === 'boolean' && thread.pull !== null) {
    thread.pull.maintainerCanModify = body.maintainer_can_modify; // the checkbox makes no webhook
  }
  const edit = {
    ...(typeof body.title === 'string' ? { title: body.title } : {}),
    ...(typeof body.body === 'string' ? { body: body.body } : {}),
    ...(typeof body.base === 'string' ? { base: body.base } : {}),
  };
  await editThread(core, thread, edit, sender(call));
  await setState(call, thread);
  return ok(await present(call, thread));
}

/** Without its branch, or once it was merged, a pull request stays closed. */
async function refuseReopening(call: RepositoryCall, thread: Thread): Promise<void> {
  if (call.body.state !== 'open' || thread.state === 'open' || thread.pull === null) return;
  const { headRepository, headBranch, merged } = thread.pull;
  const head = headRepository === null ? undefined : await branchHead(headRepository, headBranch);
  if (merged === null && head !== undefined) return;
  const message =
    merged === null ? `The ${headBranch} branch has been deleted.` : 'Cannot reopen a merged pull request';
  const errors = [
    {
      resource: 'PullRequest',
      code: 'invalid',
      field: 'state',
      message: `state cannot be changed. ${message}`,
    },
  ];
  throw new ApiError(422, 'Validation Failed', { errors });
}
