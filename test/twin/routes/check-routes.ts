import { createRun, type RunInput, rerequestRun, tellCompletion, updateRun } from '../actions/checks.ts';
import { appOf } from '../auth/principal.ts';
import { readCommit } from '../git/read-commits.ts';
import { readRefs, resolveCommit } from '../git/refs.ts';
import { ApiError, notAccessible, notFound } from '../http/api-error.ts';
import { paginate } from '../http/paginate.ts';
import { number, ok, type Reply, type RepositoryCall, type Route, text } from '../http/route.ts';
import { presentAnnotation, presentRun, presentSuite } from '../present/check.ts';
import { runsOf, suitesOf } from '../world/look-up.ts';
import type { CheckRun, CheckSuite } from '../world/world.ts';
import { sender } from './issue-routes.ts';

const RUN = '/repos/{owner}/{repo}/check-runs/{check_run_id}';

export const checkRoutes: readonly Route[] = [
  {
    route: 'POST /repos/{owner}/{repo}/check-runs',
    access: 'repository',
    need: [['checks', 'write']],
    handle: createCheckRun,
  },
  {
    route: `GET ${RUN}`,
    access: 'repository',
    need: [['checks', 'read']],
    handle: call => ok(presentRun(call.core.world, runOf(call))),
  },
  { route: `PATCH ${RUN}`, access: 'repository', need: [['checks', 'write']], handle: updateCheckRun },
  {
    route: `GET ${RUN}/annotations`,
    access: 'repository',
    need: [['checks', 'read']],
    handle: call => {
      const run = runOf(call);
      return paginate(call, run.annotations, each => presentAnnotation(call.core.world, run, each));
    },
  },
  {
    route: `POST ${RUN}/rerequest`,
    access: 'repository',
    need: [['checks', 'write']],
    handle: call => {
      rerequestRun(call.core, ownRun(call), sender(call));
      return ok({}, 201);
    },
  },
  {
    route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
    access: 'repository',
    need: [['checks', 'read']],
    handle: async call => listRuns(call, runsOf(call.core.world, call.repository, await commitOf(call))),
  },
  {
    route: 'GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs',
    access: 'repository',
    need: [['checks', 'read']],
    handle: call => {
      const suite = call.core.world.suites.get(number(call, 'check_suite_id'));
      if (suite?.repository !== call.repository) throw notFound();
      return listRuns(call, [...suite.runs].reverse());
    },
  },
  {
    route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites',
    access: 'repository',
    need: [['checks', 'read']],
    handle: listSuites,
  },
];

function runOf(call: RepositoryCall): CheckRun {
  const run = call.core.world.runs.get(number(call, 'check_run_id'));
  if (run?.suite.repository !== call.repository) throw notFound();
  return run;
}

/** "Only GitHub Apps can create check runs", and change none but their own. */
function ownRun(call: RepositoryCall): CheckRun {
  const run = runOf(call);
  const app = appOf(call.principal);
  if (app === run.suite.app) return run;
  const message = `Invalid app_id \`${app?.id}\` - check run can only be modified by the GitHub App that created it.`;
  throw new ApiError(403, message);
}

async function commitOf(call: RepositoryCall): Promise<string> {
  const name = text(call, 'ref');
  const commit = await resolveCommit(call.repository, name);
  if (commit === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`);
  return commit;
}

async function createCheckRun(call: RepositoryCall): Promise<Reply> {
  const { body, core, principal, repository } = call;
  const app = appOf(principal);
  if (app === null) throw notAccessible();
  const sha = String(body.head_sha);
  const exact = /^[0-9a-f]{40}$/.test(sha) ? await resolveCommit(repository, sha) : undefined;
  if (exact === undefined) throw new ApiError(422, `No commit found for SHA: ${sha}`);
  const heads = await readRefs(repository, 'refs/heads/');
  const branch = [...heads].find(([, id]) => id === sha)?.[0].slice('refs/heads/'.length) ?? null;
  const run = createRun(core, repository, app, sha, branch, { ...runInput(call), name: String(body.name) });
  if (run.status === 'completed') await tellCompletion(core, run);
  return ok(presentRun(core.world, run), 201);
}

async function updateCheckRun(call: RepositoryCall): Promise<Reply> {
  const run = await updateRun(call.core, ownRun(call), runInput(call));
  return ok(presentRun(call.core.world, run));
}

const FIELDS = {
  name: 'name',
  status: 'status',
  conclusion: 'conclusion',
  started_at: 'startedAt',
  completed_at: 'completedAt',
  external_id: 'externalId',
  details_url: 'detailsUrl',
  actions: 'actions',
} as const;

function runInput({ body }: RepositoryCall): RunInput {
  const given = Object.entries(FIELDS).filter(([field]) => body[field] !== undefined);
  const output = (body.output ?? {}) as Record<string, unknown>;
  const texts = ['title', 'summary', 'text', 'annotations'].filter(name => output[name] !== undefined);
  return Object.fromEntries([
    ...given.map(([field, name]) => [name, body[field]]),
    ...texts.map(name => [name, output[name]]),
  ]) as RunInput;
}

/** Newest first; of each name only the latest, unless `filter=all`. */
function listRuns(call: RepositoryCall, runs: readonly CheckRun[]): Reply {
  const { check_name: name, status, filter = 'latest', app_id: appId } = call.parameters;
  const seen = new Set<string>();
  const isLatest = (run: CheckRun): boolean => {
    const key = `${run.suite.app.id} ${run.name}`;
    if (filter === 'all') return true;
    return !seen.has(key) && seen.add(key) !== undefined;
  };
  const chosen = runs
    .filter(isLatest)
    .filter(run => name === undefined || run.name === name)
    .filter(run => status === undefined || run.status === status)
    .filter(run => appId === undefined || run.suite.app.id === appId);
  return paginate(
    call,
    chosen,
    run => presentRun(call.core.world, run),
    check_runs => ({ total_count: chosen.length, check_runs }),
  );
}

async function listSuites(call: RepositoryCall): Promise<Reply> {
  const { core, repository } = call;
  const { app_id: appId, check_name: name } = call.parameters;
  const commit = await commitOf(call);
  const chosen = suitesOf(core.world, repository)
    .filter(suite => suite.headSha === commit)
    .filter(suite => appId === undefined || suite.app.id === appId)
    .filter(suite => name === undefined || suite.runs.some(run => run.name === name));
  const head = await readCommit(repository, commit);
  return paginate(
    call,
    chosen,
    (suite: CheckSuite) => presentSuite(core.world, suite, head),
    check_suites => ({ total_count: chosen.length, check_suites }),
  );
}
