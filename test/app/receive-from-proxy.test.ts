import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign } from '@octokit/webhooks-methods';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { receiveFromProxy } from '../../src/app/receive-from-proxy.ts';
import { SECRET, startIngress } from './ingress.ts';

// A proxy of the network this machine is in has no business between two servers on it.
beforeEach(() => {
  vi.stubEnv('no_proxy', '127.0.0.1');
  vi.stubEnv('NO_PROXY', '127.0.0.1');
  return () => vi.unstubAllEnvs();
});

/** A channel as smee.io serves it: it parses each delivery and hands on headers, body and query in one object. */
async function startChannel() {
  const listeners = new Set<ServerResponse>();
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 20\nid: 0\nevent: ready\ndata: {}\n\n');
    listeners.add(response);
    connections += 1;
    response.once('close', () => listeners.delete(response));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const send = (data: string) => {
    for (const listener of listeners) listener.write(`id: 1\ndata: ${data}\n\n`);
  };
  const cut = () => {
    for (const listener of listeners) listener.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-channel`,
    listeners,
    connections: () => connections,
    send,
    cut,
    /** Takes in what GitHub sends, byte for byte as given, signed. */
    deliver: async (raw: string, id = '72d3162e-cc78-11e3-81ab-4c9367dc0958') =>
      send(
        JSON.stringify({
          host: 'smee.io',
          'content-length': String(Buffer.byteLength(raw)),
          'content-type': 'application/json',
          'x-forwarded-for': '192.0.2.1',
          'x-github-event': 'ping',
          'x-github-delivery': id,
          'x-github-hook-installation-target-id': '4711',
          'x-hub-signature-256': await sign(SECRET, raw),
          body: JSON.parse(raw),
          query: {},
          timestamp: 1_790_000_000_000,
        }),
      ),
  };
}

async function startBoth() {
  const channel = await startChannel();
  const received: unknown[] = [];
  const ingress = await startIngress(app => void app.onAny(async event => void received.push(event.payload)));
  const warnings: unknown[] = [];
  const log = { info: () => {}, warn: (...given: unknown[]) => void warnings.push(given) };
  const proxy = await receiveFromProxy({ source: channel.url, target: ingress.url, log });
  onTestFinished(proxy.close);
  return { channel, received, ingress, warnings, proxy };
}

// Written out as GitHub writes them: compact, escapes in upper case, everything else as it is.
it.each([
  ['plain text', '{"zen":"Keep it logically awesome.","hook_id":1}'],
  ['characters of every width', '{"zen":"é 漢 😀 \u2028"}'],
  ['a terminal escape', '{"zen":"\\u001B[34mblue\\u001B[0m and \\u001F"}'],
  ['text that looks like an escape', '{"zen":"a regex: \\\\u001b, \\\\\\\\u00ff, \\\\\\u001B"}'],
  ['short escapes', '{"zen":"line\\r\\n\\ttab \\"quoted\\" \\\\ \\b\\f"}'],
])('brings a signed delivery to the endpoint, its signature still valid: %s', async (_, raw) => {
  const { channel, received, warnings, ingress } = await startBoth();
  await channel.deliver(raw);
  await vi.waitFor(() => expect(received).toEqual([JSON.parse(raw)]));
  await vi.waitFor(() => expect([...ingress.remembered]).toEqual(['72d3162e-cc78-11e3-81ab-4c9367dc0958']));
  expect(warnings).toEqual([]);
});

it('says so when a body was written in a way that can not be told from its content', async () => {
  const { channel, received, warnings } = await startBoth();
  await channel.deliver('{"number": 1.0}');
  await vi.waitFor(() => expect(warnings).toHaveLength(1));
  expect(warnings[0]).toMatchObject([
    { delivery: '72d3162e-cc78-11e3-81ab-4c9367dc0958', event: 'ping', status: 401 },
    'a delivery from the webhook proxy was not taken',
  ]);
  expect(JSON.stringify(warnings)).toContain('bad-signature');
  expect(received).toEqual([]);
});

it('goes on after a message that is none, and quotes nothing of it', async () => {
  const { channel, received, warnings } = await startBoth();
  channel.send('not JSON');
  channel.send('{}');
  await channel.deliver('{"zen":"after"}');
  await vi.waitFor(() => expect(received).toEqual([{ zen: 'after' }]));
  const text = 'a message from the webhook proxy was not forwarded';
  expect(warnings).toEqual([
    [{ why: 'it is no JSON' }, text],
    [{ why: 'it has no body' }, text],
  ]);
});

it('connects again when the connection breaks', async () => {
  const { channel, received, warnings } = await startBoth();
  channel.cut();
  await vi.waitFor(() => expect(channel.connections()).toBe(2), 5000);
  await channel.deliver('{"zen":"again"}');
  await vi.waitFor(() => expect(received).toEqual([{ zen: 'again' }]));
  expect(warnings).toEqual([]);
});

it('hangs up when it is closed', async () => {
  const { channel, proxy } = await startBoth();
  await proxy.close();
  await proxy.close();
  await vi.waitFor(() => expect(channel.listeners.size).toBe(0));
});

const log = { info: () => {}, warn: () => {} };

it('says what to install when the client is missing', async () => {
  const missing = async () => Promise.reject(new Error("Cannot find package 'smee-client'"));
  const given = { source: 'http://127.0.0.1:9/x', target: 'http://127.0.0.1:9/y', log, loadClient: missing };
  await expect(receiveFromProxy(given)).rejects.toMatchObject({
    code: 'proxy-client-missing',
    retry: 'never',
    message: expect.stringContaining('npm install --include=dev'),
  });
});

it('says that the proxy does not answer', async () => {
  const server = createServer((_, response) => void response.writeHead(404).end());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gone`;
  onTestFinished(() => void server.close());
  const given = { source, target: 'http://127.0.0.1:9/y', log };
  await expect(receiveFromProxy(given)).rejects.toMatchObject({ code: 'proxy-unreachable', retry: 'later' });
  server.closeAllConnections();
  server.close();
  await expect(receiveFromProxy(given)).rejects.toMatchObject({ code: 'proxy-unreachable' });
});
