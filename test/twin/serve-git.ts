import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** What the server does with a request before git sees it. */
export type Verdict = 'serve' | 'unauthorized' | 'forbidden' | 'not-found' | 'unavailable' | 'hang-up';

interface GitRequest {
  readonly method: string;
  /** Path of the URL, decoded as HTTP gives it: `/acme.git/info/refs`. */
  readonly path: string;
  readonly query: string;
  /** True when the request carried the token as the password of `x-access-token`. */
  readonly authorized: boolean;
}

export interface GitServerOptions {
  /** Folder whose bare repositories are served, by their path below it. */
  readonly root: string;
  /** When set, a request without it gets 401, as GitHub does for a private repository. */
  readonly token?: string;
  /** Asked for every request that carries the token (or for all without one); `serve` when left out. */
  readonly judge?: (request: GitRequest) => Verdict | Promise<Verdict>;
}

interface GitHandler {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Ends every git process that still answers somebody. */
  readonly stop: () => Promise<void>;
}

export interface GitServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly urlOf: (name: string) => string;
  /** Every request so far. */
  readonly requests: readonly GitRequest[];
  readonly close: () => Promise<void>;
}

/** Starts an HTTP server on a free loopback port in front of `git http-backend`. */
export async function serveGit(options: GitServerOptions): Promise<GitServer> {
  const requests: GitRequest[] = [];
  const judge = async (request: GitRequest): Promise<Verdict> => (await options.judge?.(request)) ?? 'serve';
  const handler = createGitHandler({
    ...options,
    judge: request => {
      requests.push(request);
      return options.token === undefined || request.authorized ? judge(request) : 'unauthorized';
    },
  });
  const server = createServer((request, response) => void handler.handle(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await Promise.all([new Promise(resolve => server.close(resolve)), handler.stop()]);
  };
  return { origin, urlOf: name => `${origin}/${name}`, requests, close };
}

const REFUSALS: Readonly<Record<Exclude<Verdict, 'serve' | 'hang-up'>, number>> = {
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  unavailable: 503,
};

/** The same as a handler, for a server that answers other routes too. */
function createGitHandler(options: GitServerOptions): GitHandler {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const running = new Set<ChildProcess>();
  let stopped = false;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const verdict = await (options.judge?.({
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.search.slice(1),
      authorized: carries(request, options.token),
    }) ?? 'serve');
    if (verdict === 'hang-up' || stopped) return void request.socket.destroy();
    if (verdict !== 'serve') return refuse(response, REFUSALS[verdict]);
    const child = spawn(backend, {
      env: environmentOf(request, url, options.root),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    running.add(child);
    child.once('close', () => running.delete(child));
    await answer(child, request, response);
  };
  const stop = async (): Promise<void> => {
    stopped = true;
    const ends = [...running].map(child => new Promise(resolve => child.once('close', resolve)));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ends);
  };
  return { handle, stop };
}

function carries(request: IncomingMessage, token: string | undefined): boolean {
  const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  return token !== undefined && request.headers.authorization === expected;
}

function refuse(response: ServerResponse, status: number): void {
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="git"');
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`refused with ${status}\n`);
}

/** What CGI hands over. http-backend itself unpacks a gzip'd body when it is told the encoding. */
function environmentOf(request: IncomingMessage, url: URL, root: string): NodeJS.ProcessEnv {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const length = header('content-length');
  return {
    PATH: process.env.PATH,
    HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REMOTE_USER: 'app', // without a user http-backend refuses every push
    REMOTE_ADDR: '127.0.0.1',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: header('content-type'),
    ...(length === '' ? {} : { CONTENT_LENGTH: length }), // chunked: it reads to the end
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
  };
}

/** Streams both ways; resolves when the answer has ended. */
function answer(child: ChildProcess, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('git http-backend has no streams');
  stdin.on('error', () => {}); // it may answer without reading the whole body
  request.on('error', () => {});
  request.pipe(stdin);
  response.once('close', () => {
    if (response.writableFinished) return;
    child.kill('SIGKILL'); // the client went away
    stdout.resume(); // unread output would keep the process from closing
  });
  return new Promise(resolve => {
    let head: Buffer | undefined = Buffer.alloc(0);
    stdout.on('data', (chunk: Buffer) => {
      if (head !== undefined) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        writeHead(response, head.toString('latin1', 0, end));
        chunk = head.subarray(end + 4);
        head = undefined;
      }
      if (response.destroyed || chunk.length === 0) return;
      if (!response.write(chunk)) {
        stdout.pause();
        response.once('drain', () => stdout.resume());
      }
    });
    child.once('close', () => {
      if (head !== undefined) refuse(response, 502);
      else response.end();
      resolve();
    });
  });
}

/** CGI writes the status as a header of its own: `Status: 404 Not Found`. Without one it is 200. */
function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const name = line.slice(0, line.indexOf(':'));
    const value = line.slice(line.indexOf(':') + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.appendHeader(name, value);
  }
  response.writeHead(status);
}
