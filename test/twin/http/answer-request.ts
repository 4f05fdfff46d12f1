import { requireAccess } from '../auth/access.ts';
import { authenticate } from '../auth/authenticate.ts';
import type { Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import { checkRequest } from '../openapi/check-request.ts';
import { checkResponse } from '../openapi/check-response.ts';
import type { Operation } from '../openapi/contract.ts';
import { findRenamed, findRepository } from '../world/look-up.ts';
import type { Repository } from '../world/world.ts';
import { ApiError, notFound } from './api-error.ts';
import type { Match, RouteTable } from './match-route.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Call, Reply } from './route.ts';

export interface RestRequest {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  readonly body: Buffer;
}

export interface Answered {
  readonly reply: Reply;
  readonly principal: Principal;
}

const ANONYMOUS: Principal = { kind: 'anonymous' };

/** From a request to an answer, both held against the contract. Whatever breaks it is written down. */
export async function answerRequest(
  core: Core,
  table: RouteTable,
  limiter: RateLimiter,
  request: RestRequest,
): Promise<Answered> {
  let principal = ANONYMOUS;
  const where = `${request.method} ${request.url.pathname}`;
  const match = table(request.method, request.url.pathname);
  try {
    if (request.userAgent === undefined)
      throw new ApiError(403, 'Request forbidden by administrative rules.');
    principal = authenticate(core.world, request.authorization);
    limiter.count(principal, request.method, request.url.pathname);
    if (match === undefined) {
      core.violations.push({ kind: 'route', where, problem: 'the twin does not serve this route' });
      throw new ApiError(404, `The twin does not serve ${where}. Add the route to it, or call another one.`);
    }
    const reply = await answerMatch(core, match, request, principal);
    return { reply: checkedReply(core, match, where, reply), principal };
  } catch (error) {
    const reply = error instanceof ApiError ? refusal(error) : broken(core, where, error);
    return { reply: match === undefined ? reply : checkedReply(core, match, where, reply), principal };
  }
}

async function answerMatch(
  core: Core,
  match: Match,
  request: RestRequest,
  principal: Principal,
): Promise<Reply> {
  const { route, path } = match;
  const operation = operationOf(core, route.route);
  const prepare = (): Call => {
    const body = parseBody(request.body);
    const checked = checkRequest(core.contract, operation, { path, query: request.url.searchParams, body });
    for (const problem of checked.problems) {
      core.violations.push({ kind: 'request', where: route.route, problem });
    }
    if (checked.problems.length > 0) {
      throw new ApiError(422, `Invalid request.\n\n${checked.problems.join('\n')}`, { errors: [] });
    }
    const given = (body ?? {}) as Record<string, unknown>;
    return { core, principal, parameters: checked.parameters, body: given, url: request.url };
  };
  if (route.access === 'open') return route.handle(prepare());
  if (route.access === 'app') {
    if (principal.kind !== 'app') throw new ApiError(401, 'A JSON web token could not be decoded');
    return route.handle({ ...prepare(), app: principal.app });
  }
  if (route.access === 'token') {
    if (principal.kind === 'anonymous') throw new ApiError(401, 'Requires authentication');
    if (principal.kind !== 'installation')
      throw new ApiError(
        403,
        'You must authenticate with an installation access token in order to list repositories for an installation.',
      );
    return route.handle({ ...prepare(), token: principal.token });
  }
  const repository = repositoryOf(core, path);
  if ('status' in repository) return repository;
  requireAccess(principal, repository, route.need);
  return route.handle({ ...prepare(), repository });
}

/** A past name is answered with the way to the present one. */
function repositoryOf(core: Core, path: Match['path']): Repository | Reply {
  const { world } = core;
  if (path.repository_id !== undefined) {
    const repository = world.repositories.get(Number(path.repository_id));
    if (repository === undefined) throw notFound();
    return repository;
  }
  const name = `${path.owner}/${path.repo}`;
  const repository = findRepository(world, name);
  if (repository !== undefined) return repository;
  const renamed = findRenamed(world, name);
  if (renamed === undefined) throw notFound();
  const url = `${world.origin}/repositories/${renamed.id}`;
  return { status: 301, headers: { location: url }, body: { ...errorBody(301, 'Moved Permanently'), url } };
}

/** `/repositories/{id}` is not in GitHub's description, though its redirects lead there. */
function operationOf(core: Core, route: string): Operation {
  const found = core.contract.operation(route === BY_ID ? 'GET /repos/{owner}/{repo}' : route);
  if (found === undefined) throw new Error(`${route} was not extracted: run scripts/extract-openapi.ts.`);
  if (route !== BY_ID) return found;
  const parameter = {
    name: 'repository_id',
    in: 'path',
    required: true,
    schema: { type: 'integer' },
  } as const;
  return { ...found, parameters: [parameter] };
}

const BY_ID = 'GET /repositories/{repository_id}';

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiError(400, 'Problems parsing JSON');
  }
}

function checkedReply(core: Core, match: Match, where: string, reply: Reply): Reply {
  const problem = checkResponse(
    core.contract,
    operationOf(core, match.route.route),
    reply.status,
    reply.body,
  );
  if (problem === null) return reply;
  core.violations.push({ kind: 'response', where, problem: `${reply.status}: ${problem}` });
  return { status: 500, body: errorBody(500, `The twin answered ${where} wrongly. ${problem}`) };
}

function refusal({ status, message, headers, errors }: ApiError): Reply {
  return {
    status,
    headers,
    body: { ...errorBody(status, message), ...(errors === undefined ? {} : { errors }) },
  };
}

function broken(core: Core, where: string, error: unknown): Reply {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  core.violations.push({ kind: 'error', where, problem });
  return { status: 500, body: errorBody(500, 'The twin itself failed; see its violations.') };
}

function errorBody(status: number, message: string): Record<string, unknown> {
  return { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
}
