import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Fault } from '../fault/fault.ts';
import { answerJson, type Handle } from './answer.ts';

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

export interface HttpDeps {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** By exact path, looked up anew for each request: what is added or removed later counts at once. */
  readonly routes: ReadonlyMap<string, Handle>;
  readonly isReady: () => Promise<Readiness>;
  readonly log: Pick<Logger, 'error'>;
}

export interface HttpServer {
  readonly port: number;
  /** Where this machine reaches it, without a slash at the end. */
  readonly url: string;
  /** Takes no new requests, waits for the running ones, cuts them off after `graceMs` (default 10,000). */
  readonly close: (graceMs?: number) => Promise<void>;
}

/** Serves the given routes, `GET /healthz` (the process lives) and `GET /readyz` (it can take work). */
export async function serveHttp(deps: HttpDeps): Promise<HttpServer> {
  const routes: ReadonlyMap<string, Handle> = new Map([
    ['/healthz', onlyGet(async (_, response) => answerJson(response, 200, { status: 'alive' }))],
    ['/readyz', onlyGet((_, response) => answerReadiness(response, deps.isReady))],
  ]);
  let closing = false;
  const running = new Set<ServerResponse>();
  const server = createServer(TIMEOUTS, (request, response) => {
    if (closing) response.setHeader('connection', 'close');
    running.add(response);
    response.once('close', () => running.delete(response));
    const path = pathOf(request);
    void serve(routes.get(path) ?? deps.routes.get(path) ?? notFound, request, response, deps.log);
  });
  await listen(server, deps);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${reachable(deps.host)}:${port}`,
    close: graceMs => {
      closing = true;
      // Otherwise the connection would be kept for a next request, and closing would wait for it.
      for (const response of running) if (!response.headersSent) response.setHeader('connection', 'close');
      return close(server, graceMs ?? 10_000);
    },
  };
}

/** Milliseconds. A client that sends its headers or its body drop by drop is cut off. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than the 60 s of the usual load balancers, which would answer 502 otherwise
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16 * 1024,
};

async function serve(
  handle: Handle,
  request: IncomingMessage,
  response: ServerResponse,
  log: HttpDeps['log'],
): Promise<void> {
  try {
    await handle(request, response);
  } catch (error) {
    log.error({ err: error, path: pathOf(request) }, 'request failed');
    answerJson(response, 500, { error: 'failed', message: 'The request failed; the log says why.' });
    if (!response.writableEnded) response.destroy();
  }
}

const notFound: Handle = async (_, response) =>
  answerJson(response, 404, { error: 'not-found', message: 'Nothing is served here.' });

/** Lets only GET and HEAD through. */
function onlyGet(handle: Handle): Handle {
  return async (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD') return handle(request, response);
    const message = 'Only GET is served here.';
    answerJson(response, 405, { error: 'not-a-get', message }, { allow: 'GET, HEAD' });
  };
}

async function answerReadiness(response: ServerResponse, isReady: HttpDeps['isReady']): Promise<void> {
  const state = await Promise.race([askReadiness(isReady), late()]);
  if (state.ready) answerJson(response, 200, { status: 'ready' });
  else answerJson(response, 503, { status: 'not-ready', reason: state.reason }, { 'retry-after': '5' });
}

async function askReadiness(isReady: HttpDeps['isReady']): Promise<Readiness> {
  try {
    return await isReady();
  } catch (error) {
    // A message may name addresses and users; a code does not.
    return { ready: false, reason: error instanceof Fault ? error.code : 'the check failed' };
  }
}

async function late(): Promise<Readiness> {
  await sleep(1000, undefined, { ref: false });
  return { ready: false, reason: 'the check took longer than 1 s' };
}

async function listen(server: Server, { host, port }: HttpDeps): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(void server.off('error', reject)));
  }).catch((cause: NodeJS.ErrnoException) => {
    const why = LISTEN_PROBLEMS[cause.code ?? ''] ?? `(${cause.message}). Check HOST and PORT.`;
    throw new Fault('http-listen', `Cannot listen on ${host}, port ${port}: ${why}`, { cause });
  });
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there. Stop it, or set PORT to a free port.',
  EACCES: 'ports below 1024 need rights this process does not have. Set PORT to 1024 or above.',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to 127.0.0.1 or 0.0.0.0.',
};

async function close(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise(resolve => server.close(resolve)); // closes idle connections too
  clearTimeout(timer);
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '/';
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
