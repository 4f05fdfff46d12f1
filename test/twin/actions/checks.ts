import { grants } from '../auth/access.ts';
import type { Core } from '../core.ts';
import { ApiError } from '../http/api-error.ts';
import { stateOf } from '../present/check.ts';
import { emitRun, emitSuite } from '../webhooks/check-events.ts';
import { installationsOn, suitesOf } from '../world/look-up.ts';
import type {
  Account,
  Annotation,
  App,
  CheckRun,
  CheckRunState,
  CheckSuite,
  Repository,
} from '../world/world.ts';

/** Every push makes a suite for each app that may write checks, once for each commit. */
export async function requestSuites(
  core: Core,
  repository: Repository,
  headSha: string,
  headBranch: string,
  before: string | null,
  sender: Account,
): Promise<void> {
  for (const { app, permissions, suspended } of installationsOn(core.world, repository)) {
    if (suspended !== null || !grants(permissions, [['checks', 'write']])) continue;
    if (findSuite(core, repository, app, headSha) !== undefined) continue;
    const suite = addSuite(core, repository, app, headSha, headBranch, before);
    await emitSuite(core, suite, 'requested', sender);
  }
}

function findSuite(core: Core, repository: Repository, app: App, sha: string): CheckSuite | undefined {
  return suitesOf(core.world, repository).find(each => each.app === app && each.headSha === sha);
}

function addSuite(
  core: Core,
  repository: Repository,
  app: App,
  headSha: string,
  headBranch: string | null,
  before: string | null,
): CheckSuite {
  const at = core.world.clock.iso();
  const { nextId, suites } = core.world;
  const model = { id: nextId(), app, repository, headSha, headBranch, before };
  const suite: CheckSuite = { ...model, runs: [], createdAt: at, updatedAt: at };
  suites.set(suite.id, suite);
  return suite;
}

/** The fields of a request, as far as they are given. */
export interface RunInput extends Partial<CheckRunState> {
  readonly annotations?: readonly Annotation[];
}

/** `headBranch` of a suite that comes into being this way is null where no branch of the repository holds the commit. */
export function createRun(
  core: Core,
  repository: Repository,
  app: App,
  headSha: string,
  headBranch: string | null,
  input: RunInput & { readonly name: string },
): CheckRun {
  const suite =
    findSuite(core, repository, app, headSha) ?? addSuite(core, repository, app, headSha, headBranch, null);
  const run: CheckRun = {
    ...BLANK,
    startedAt: core.world.clock.iso(),
    id: core.world.nextId(),
    name: input.name,
    suite,
    annotations: [],
    history: [],
  };
  core.world.runs.set(run.id, run);
  suite.runs.push(run);
  apply(core, run, input);
  emitRun(core, run, 'created', app.bot);
  return run;
}

const BLANK = {
  status: 'queued',
  conclusion: null,
  startedAt: null,
  completedAt: null,
  externalId: '',
  detailsUrl: null,
  title: null,
  summary: null,
  text: null,
  actions: [],
} as const;

/** Annotations are added to those that stand; everything else is replaced. */
export async function updateRun(core: Core, run: CheckRun, input: RunInput): Promise<CheckRun> {
  const wasDone = run.status === 'completed';
  apply(core, run, input);
  if (run.status === 'completed' && !wasDone) await tellCompletion(core, run);
  return run;
}

export async function tellCompletion(core: Core, run: CheckRun): Promise<void> {
  const { suite } = run;
  emitRun(core, run, 'completed', suite.app.bot);
  if (stateOf(suite).status === 'completed') await emitSuite(core, suite, 'completed', suite.app.bot);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function apply(core: Core, run: CheckRun, { annotations = [], ...given }: RunInput): void {
  const at = core.world.clock.iso();
  const target = run as Mutable<CheckRun>;
  Object.assign(target, given);
  if (given.conclusion != null) target.status = 'completed';
  if (target.status === 'completed') {
    if (target.conclusion === null) {
      const errors = [{ resource: 'CheckRun', code: 'missing_field', field: 'conclusion' }];
      throw new ApiError(422, 'Invalid request.', { errors });
    }
    target.completedAt = given.completedAt ?? target.completedAt ?? at;
  } else Object.assign(target, { conclusion: null, completedAt: null });
  target.annotations = [...run.annotations, ...annotations];
  target.history = [...run.history, { ...stateOnly(run), at }];
  (run.suite as Mutable<CheckSuite>).updatedAt = at;
}

function stateOnly(run: CheckRun): CheckRunState {
  const { name, status, conclusion, startedAt, completedAt, externalId, detailsUrl } = run;
  const { title, summary, text, actions } = run;
  return {
    name,
    status,
    conclusion,
    startedAt,
    completedAt,
    externalId,
    detailsUrl,
    title,
    summary,
    text,
    actions,
  };
}

export function clickButton(core: Core, run: CheckRun, identifier: string, sender: Account): void {
  if (!run.actions.some(each => each.identifier === identifier)) {
    throw new Error(`The check run "${run.name}" has no button ${identifier}.`);
  }
  emitRun(core, run, 'requested_action', sender, { requested_action: { identifier } });
}

/** "Re-run" beside one check. GitHub resets nothing by itself: the app answers with a new state. */
export function rerequestRun(core: Core, run: CheckRun, sender: Account): void {
  emitRun(core, run, 'rerequested', sender);
}

export async function rerequestSuite(core: Core, suite: CheckSuite, sender: Account): Promise<void> {
  await emitSuite(core, suite, 'rerequested', sender);
}
