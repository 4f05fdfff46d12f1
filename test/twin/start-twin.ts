import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActions, type TwinActions } from './act.ts';
import { createAccount } from './actions/accounts.ts';
import { type AppInput, makeApp, registerApp } from './actions/apps.ts';
import type { Core, Limits, Violation } from './core.ts';
import { installHook } from './git/install-hook.ts';
import { serveRepositories } from './git/serve-repositories.ts';
import { createFaults, type Fault } from './http/faults.ts';
import { createRouteTable } from './http/match-route.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { createRestHandler, type LoggedRequest } from './http/serve-rest.ts';
import { loadContract } from './openapi/contract.ts';
import { readState, type TwinState } from './read-state.ts';
import { appRoutes } from './routes/app-routes.ts';
import { checkRoutes } from './routes/check-routes.ts';
import { commentRoutes } from './routes/comment-routes.ts';
import { contentRoutes } from './routes/content-routes.ts';
import { gitRoutes } from './routes/git-routes.ts';
import { hookRoutes } from './routes/hook-routes.ts';
import { issueRoutes } from './routes/issue-routes.ts';
import { openRoutes } from './routes/open-routes.ts';
import { pullRoutes } from './routes/pull-routes.ts';
import { repositoryRoutes } from './routes/repository-routes.ts';
import { createWebhooks, type Webhooks } from './webhooks/create-webhooks.ts';
import type { Delivery } from './webhooks/delivery.ts';
import type { Clock } from './world/clock.ts';
import { createWorld } from './world/create-world.ts';
import { findRepository, fullName, must } from './world/look-up.ts';
import type { App, Permissions } from './world/world.ts';

export interface TwinOptions {
  /** The app under test. Its owner is the account `app-owner`; `webhookUrl` may be set later on `twin.app`. */
  readonly app?: Partial<Omit<AppInput, 'owner'>>;
  readonly limits?: Partial<Limits>;
}

export interface Twin extends TwinActions, TwinState {
  /** Base of the REST API: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** For `git clone`, without credentials. */
  readonly gitUrl: (repo: string) => string;
  readonly app: App;
  readonly clock: Clock;
  readonly webhooks: Webhooks;
  /** Every REST and git request, in the order they were answered. */
  readonly requests: readonly LoggedRequest[];
  readonly deliveries: readonly Delivery[];
  /** Milliseconds added to every REST request. */
  latency: number;
  readonly failNext: (fault: Fault) => void;
  /** Hears of every REST and git request as it arrives; gives a way to stop listening. */
  readonly tap: (listener: (method: string, path: string) => void) => () => void;
  /** Keeps `refs/pull/N/head` where they are until released: they lag behind the webhook at times. */
  readonly pullRefs: { readonly hold: () => void; readonly release: () => Promise<void> };
  readonly violations: readonly Violation[];
  /** Gives what broke the contract so far, and forgets it: for tests that break it on purpose. */
  readonly takeViolations: () => readonly Violation[];
  /** Throws when anything broke GitHub's published contract. */
  readonly assertClean: () => void;
  readonly close: () => Promise<void>;
}

/** What `app.yml` asks for. */
const PERMISSIONS: Permissions = {
  metadata: 'read',
  contents: 'write',
  checks: 'write',
  pull_requests: 'write',
  issues: 'write',
  merge_queues: 'read',
};
const EVENTS = [
  'issue_comment',
  'pull_request',
  'check_run',
  'check_suite',
  'merge_group',
  'push',
  'issues',
  'repository',
];

/**
 * A GitHub of our own over real HTTP, for end-to-end tests and the demo.
 *
 * @example
 * const twin = await startTwin({ app: { webhookUrl: 'http://127.0.0.1:3000/api/github/webhooks' } });
 * twin.createUser('octo');
 * await twin.createRepository({ owner: 'octo', name: 'docs', files: { 'README.md': 'Hello\n' } });
 * twin.installApp('octo/docs');
 */
export async function startTwin(options: TwinOptions = {}): Promise<Twin> {
  const root = mkdtempSync(join(tmpdir(), 'forge-twin-'));
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  installHook(root, origin);
  const core = createCore(origin, root, options.limits ?? {});
  const app = createOwnApp(core, options.app ?? {});
  const faults = createFaults();
  const requests: LoggedRequest[] = [];
  const knobs = { latency: 0 };
  const limiter = createRateLimiter(core.limits, core.world.clock);
  const table = createRouteTable([...ROUTES, ...openRoutes(limiter)]);
  const rest = createRestHandler(core, {
    table,
    limiter,
    faults,
    log: requests,
    latency: () => knobs.latency,
  });
  const repositories = await serveRepositories(core, faults, requests);
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin);
    void (repositories.serves(pathname) ? repositories.handle : rest)(request, response);
  });
  const repositoryOf = (repo: string) => must(findRepository(core.world, repo), `repository ${repo}`);
  return {
    ...createActions(core, () => app),
    ...readState(core.world, repositoryOf),
    url: origin,
    gitUrl: repo => `${origin}/${fullName(repositoryOf(repo))}.git`,
    app,
    clock: core.world.clock,
    webhooks: core.webhooks,
    requests,
    deliveries: core.webhooks.deliveries,
    set latency(milliseconds: number) {
      knobs.latency = milliseconds;
    },
    get latency() {
      return knobs.latency;
    },
    failNext: faults.add,
    tap: faults.tap,
    pullRefs: pullRefsOf(core),
    violations: core.violations,
    takeViolations: () => core.violations.splice(0),
    assertClean: () => assertClean(core.violations),
    close: () => close(server, core, repositories.stop),
  };
}

const ROUTES = [
  ...appRoutes,
  ...hookRoutes,
  ...repositoryRoutes,
  ...pullRoutes,
  ...issueRoutes,
  ...commentRoutes,
  ...checkRoutes,
  ...gitRoutes,
  ...contentRoutes,
];

function createCore(origin: string, root: string, limits: Partial<Limits>): Core {
  const world = createWorld(origin, root);
  const contract = loadContract();
  const violations: Violation[] = [];
  const all = { requestsPerHour: 5000, contentPerMinute: 80, webhookDeadlineMs: 10_000, ...limits };
  const webhooks = createWebhooks(world, contract, violations, all.webhookDeadlineMs);
  return { world, contract, violations, webhooks, figures: new Map(), limits: all };
}

function createOwnApp(core: Core, given: Partial<Omit<AppInput, 'owner'>>): App {
  const owner = createAccount(core, 'app-owner', 'User');
  const defaults = { slug: 'skillkeeper', permissions: PERMISSIONS, events: EVENTS, webhookUrl: null };
  return registerApp(core, makeApp(core, { ...defaults, ...given, owner }));
}

function pullRefsOf({ world }: Core): Twin['pullRefs'] {
  return {
    hold: () => {
      world.heldPullRefs ??= [];
    },
    release: async () => {
      const due = world.heldPullRefs ?? [];
      world.heldPullRefs = null;
      for (const move of due) await move();
    },
  };
}

function assertClean(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  const lines = violations.map(({ kind, where, problem }) => `${kind} ${where}: ${problem}`);
  throw new Error(`GitHub's contract was broken ${violations.length} times:\n${lines.join('\n')}`);
}

async function close(server: Server, core: Core, stopGit: () => Promise<void>): Promise<void> {
  server.closeAllConnections();
  await Promise.all([new Promise(resolve => server.close(resolve)), stopGit()]);
  await core.webhooks.settle();
  rmSync(core.world.root, { recursive: true, force: true, maxRetries: 3 });
}
