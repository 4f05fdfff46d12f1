import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { answerJson, type Handle } from '../../src/app/answer.ts';
import { type HttpDeps, type Readiness, serveHttp } from '../../src/app/serve-http.ts';
import { Fault } from '../../src/fault/fault.ts';

const log = pino({ level: 'silent' });

async function serve(deps: Partial<HttpDeps> = {}) {
  const isReady = async (): Promise<Readiness> => ({ ready: true });
  const server = await serveHttp({ host: '127.0.0.1', port: 0, routes: new Map(), isReady, log, ...deps });
  onTestFinished(() => server.close(0));
  return server;
}

const route = (handle: Handle) => ({ routes: new Map([['/x', handle]]) });

it('says that it lives', async () => {
  const { url } = await serve();
  const response = await fetch(`${url}/healthz`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'alive' }]);
  expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405);
});

it.each<[string, () => Promise<Readiness>, number, object]>([
  ['it is ready', async () => ({ ready: true }), 200, { status: 'ready' }],
  [
    'it is not ready, and why',
    async () => ({ ready: false, reason: 'Redis does not answer' }),
    503,
    { status: 'not-ready', reason: 'Redis does not answer' },
  ],
  [
    'the check hangs',
    () => new Promise(() => {}),
    503,
    { status: 'not-ready', reason: 'the check took longer than 1 s' },
  ],
  [
    'the check fails, without what its error quotes',
    () => Promise.reject(new Fault('queue-unreachable', 'redis://user:password@queue')),
    503,
    { status: 'not-ready', reason: 'queue-unreachable' },
  ],
])('says on /readyz when %s', async (_, isReady, status, body) => {
  const { url } = await serve({ isReady });
  const response = await fetch(`${url}/readyz`);
  expect([response.status, await response.json()]).toEqual([status, body]);
});

it('serves nothing else', async () => {
  const { url } = await serve();
  for (const path of ['/', '/probot', '/healthz/', '/api/github/webhooks', '/%2e%2e'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
});

it('serves a route from the moment it is added', async () => {
  const routes = new Map<string, Handle>();
  const { url } = await serve({ routes });
  expect((await fetch(`${url}/x`)).status).toBe(404);
  routes.set('/x', async (_, response) => answerJson(response, 200, {}));
  expect((await fetch(`${url}/x?a=b`)).status).toBe(200);
});

it('sends headers that let a browser do nothing with an answer', async () => {
  const { url } = await serve();
  const { headers } = await fetch(`${url}/healthz`);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-powered-by')).toBeNull();
});

it('answers 500 without details when a route fails', async () => {
  const { url } = await serve(route(async () => Promise.reject(new Error('a detail'))));
  const response = await fetch(`${url}/x`);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('a detail');
});

it('lets a running request finish when it closes, and takes no new ones', async () => {
  const server = await serve(
    route(async (_, response) => {
      await sleep(200);
      answerJson(response, 200, { status: 'finished' });
    }),
  );
  const running = fetch(`${server.url}/x`);
  await sleep(50);
  const closed = server.close();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  expect(await (await running).json()).toEqual({ status: 'finished' });
  await closed;
});

it('cuts off what does not finish in its grace', async () => {
  const server = await serve(route(() => new Promise(() => {})));
  const running = fetch(`${server.url}/x`).catch(() => 'cut off');
  await sleep(50);
  const started = performance.now();
  await server.close(100);
  expect(await running).toBe('cut off');
  expect(performance.now() - started).toBeLessThan(2000);
});

it('refuses a head of more than 16 KiB', async () => {
  const { url } = await serve();
  const response = await fetch(`${url}/healthz`, { headers: { 'x-long': 'x'.repeat(20_000) } });
  expect(response.status).toBe(431);
});

it('gets along with what is no HTTP', async () => {
  const { port, url } = await serve();
  const socket = connect(port, '127.0.0.1', () => socket.write('\x16\x03\x01 hello\r\n\r\n'));
  socket.on('error', () => {});
  await new Promise(resolve => socket.on('close', resolve).resume());
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

it('says what to do when the port is taken', async () => {
  const { port } = await serve();
  await expect(serve({ port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1, port ${port}: something else listens there. Stop it, or set PORT to a free port.`,
  );
});
