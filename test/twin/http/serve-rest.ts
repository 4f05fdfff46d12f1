import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import { answerRequest } from './answer-request.ts';
import type { Fault, Faults } from './faults.ts';
import type { RouteTable } from './match-route.ts';
import type { RateLimiter } from './rate-limit.ts';
import { readBody } from './read-body.ts';
import type { Reply } from './route.ts';

export interface LoggedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** 0: the twin hung up. */
  readonly status: number;
  readonly token: Principal['kind'];
  /** Milliseconds since 1970, by the clock of the twin, and how long the answer took. */
  readonly at: number;
  readonly milliseconds: number;
}

export interface RestOptions {
  readonly table: RouteTable;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly log: LoggedRequest[];
  readonly latency: () => number;
}

export function createRestHandler(core: Core, options: RestOptions) {
  const { faults, limiter, log, table } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const at = core.world.clock.now();
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', core.world.origin);
    const body = await readBody(request);
    if (options.latency() > 0) await sleep(options.latency());
    const fault = faults.take(method, url.pathname);
    const { authorization, 'user-agent': userAgent } = request.headers;
    const answered =
      fault === undefined || fault.loseAnswer === true
        ? await answerRequest(core, table, limiter, { method, url, authorization, userAgent, body })
        : { reply: faultReply(fault), principal: { kind: 'anonymous' as const } };
    const { principal } = answered;
    const hangUp = fault?.reset === true || fault?.loseAnswer === true;
    const reply = hangUp ? answered.reply : withTag(answered.reply, method, request.headers['if-none-match']);
    if (reply.status === 304) limiter.giveBack(principal);
    const milliseconds = performance.now() - started;
    const status = hangUp ? 0 : reply.status;
    log.push({
      method,
      path: `${url.pathname}${url.search}`,
      status,
      token: principal.kind,
      at,
      milliseconds,
    });
    if (hangUp) request.socket.destroy();
    else write(response, reply, commonHeaders(core, limiter, principal));
  };
}

function faultReply(fault: Fault): Reply {
  const status = fault.status ?? 500;
  const body = fault.body ?? { message: `The twin was told to fail with ${status}.`, status: String(status) };
  return { status, body, headers: fault.headers ?? {} };
}

/** The same body has the same tag; whoever holds it already is told just that. */
function withTag(reply: Reply, method: string, held: string | undefined): Reply {
  if (method !== 'GET' || reply.status !== 200) return reply;
  const etag = `W/"${createHash('sha256').update(JSON.stringify(reply.body)).digest('hex')}"`;
  const headers = { ...reply.headers, etag };
  return held === etag ? { status: 304, headers } : { ...reply, headers };
}

function commonHeaders(core: Core, limiter: RateLimiter, principal: Principal): Record<string, string> {
  const { limit, remaining, used, reset } = limiter.state(principal);
  return {
    date: new Date(core.world.clock.now()).toUTCString(),
    'x-github-request-id': randomBytes(14).toString('hex').toUpperCase(),
    'x-github-media-type': 'github.v3; format=json',
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-resource': 'core',
  };
}

function write(response: ServerResponse, reply: Reply, common: Record<string, string>): void {
  const text = reply.body === undefined ? undefined : JSON.stringify(reply.body);
  response.sendDate = false;
  response.writeHead(reply.status, {
    ...common,
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }),
    ...reply.headers,
  });
  response.end(text);
}
