import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canSee, grants } from '../auth/access.ts';
import { authenticateBasic } from '../auth/authenticate.ts';
import type { Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import { ApiError } from '../http/api-error.ts';
import type { Fault, Faults } from '../http/faults.ts';
import { readBody } from '../http/read-body.ts';
import type { LoggedRequest } from '../http/serve-rest.ts';
import { serveGit } from '../serve-git.ts';
import { findRenamed, findRepository } from '../world/look-up.ts';
import type { Repository } from '../world/world.ts';
import { forward } from './forward.ts';
import { deniedText, mayPush } from './judge-push.ts';
import { type PushedCommands, type PushSession, receivePush } from './receive-push.ts';

const GIT_PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

export interface RepositoryServer {
  readonly serves: (pathname: string) => boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Smart HTTP in front of the bare repositories: who may read and write is decided here, the rest is git's own. */
export async function serveRepositories(
  core: Core,
  faults: Faults,
  log: LoggedRequest[],
): Promise<RepositoryServer> {
  const backend = await serveGit({ root: core.world.root });
  const sessions = new Map<string, PushSession & { readonly hangUp: () => void }>();

  const answerHook = async (
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
  ): Promise<void> => {
    const session = sessions.get(id);
    const push = JSON.parse((await readBody(request)).toString('utf8')) as PushedCommands;
    try {
      if (session === undefined) throw new Error(`There is no push ${id}.`);
      const verdict = await receivePush(core, session, push);
      session.hangUp();
      response.writeHead(200).end(JSON.stringify(verdict));
    } catch (error) {
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      core.violations.push({ kind: 'error', where: 'git push', problem });
      response.writeHead(500).end(problem);
    }
  };
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<Served> => {
    const url = new URL(request.url ?? '/', core.world.origin);
    let principal: Principal = { kind: 'anonymous' };
    try {
      if (fault !== undefined && fault.loseAnswer !== true)
        throw new ApiError(fault.status ?? 500, faultText(fault), { headers: fault.headers ?? {} });
      principal = authenticateBasic(core.world, request.headers.authorization);
      const { repository, service } = judge(core, principal, url);
      const id = randomUUID();
      const hangUp = (): void => void (fault?.loseAnswer === true && request.socket.destroy());
      sessions.set(id, { principal, repository, hangUp });
      const isPush = service === 'git-receive-pack';
      const path = `/${repository.id}.git/${service}${isPush ? `?push=${id}` : url.search}`;
      const status = await forward(request, response, backend.origin, path);
      sessions.delete(id);
      return { principal, status };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(request, response, error, fault?.reset === true);
      return { principal, status: fault?.reset === true ? 0 : error.status };
    }
  };
  return {
    serves: pathname => GIT_PATH.test(pathname) || pathname === '/_twin/push',
    handle: async (request, response) => {
      const url = new URL(request.url ?? '/', core.world.origin);
      if (url.pathname === '/_twin/push')
        return answerHook(request, response, url.searchParams.get('push') ?? '');
      const started = performance.now();
      const at = core.world.clock.now();
      const method = request.method ?? 'GET';
      const { principal, status } = await serve(request, response, faults.take(method, url.pathname));
      const milliseconds = performance.now() - started;
      log.push({
        method,
        path: `${url.pathname}${url.search}`,
        status,
        token: principal.kind,
        at,
        milliseconds,
      });
    },
    stop: backend.close,
  };
}

interface Served {
  readonly principal: Principal;
  readonly status: number;
}

/** Which repository and service are meant, or the answer GitHub gives instead. */
function judge(core: Core, principal: Principal, url: URL): { repository: Repository; service: string } {
  const [, owner = '', name = '', service = ''] = GIT_PATH.exec(decodeURI(url.pathname)) ?? [];
  const full = `${owner}/${name}`;
  const repository = findRepository(core.world, full) ?? findRenamed(core.world, full);
  const isPush = service === 'git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack';
  const isStranger = principal.kind === 'anonymous';
  if (repository === undefined || !canSee(principal, repository)) {
    throw isStranger
      ? new ApiError(401, 'Repository not found.')
      : new ApiError(404, 'Repository not found.');
  }
  if (isPush && isStranger) throw new ApiError(401, 'No anonymous write access.');
  if (isPush && !mayPush(core.world, principal, repository)) {
    throw new ApiError(403, deniedText(principal, repository));
  }
  const readsPrivately = repository.isPrivate && principal.kind === 'installation';
  if (readsPrivately && !grants(principal.token.permissions, [['contents', 'read']])) {
    throw new ApiError(403, 'Write access to repository not granted.');
  }
  return { repository, service };
}

function faultText({ body }: Fault): string {
  return typeof body === 'string' ? body : 'The twin was told to fail.';
}

/** git prints a plain text body as `remote:`. */
function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError, reset: boolean): void {
  if (reset) return void request.socket.destroy();
  const challenge = error.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...challenge,
    ...error.headers,
  };
  response.writeHead(error.status, headers);
  response.end(`${error.message}\n`);
}
