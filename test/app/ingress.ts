import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { sign } from '@octokit/webhooks-methods';
import { pino } from 'pino';
import type { Probot } from 'probot';
import { onTestFinished } from 'vitest';
import { createProbot } from '../../src/app/create-probot.ts';
import { receiveWebhook, WEBHOOK_PATH, type WebhookDeps } from '../../src/app/receive-webhook.ts';
import { serveHttp } from '../../src/app/serve-http.ts';

const APP_ID = 4711;
export const SECRET = 'the webhook secret of these tests, long';
export const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

export interface Ingress {
  readonly url: string;
  readonly port: number;
  /** Deliveries that were handed over to the end. */
  readonly remembered: Set<string>;
  /** Every line of the log, at its most talkative. */
  readonly log: string[];
}

/** The webhook endpoint as it runs: our server and a real Probot. */
export async function startIngress(
  handlers: (app: Probot) => void,
  deps: Partial<WebhookDeps> & { readonly githubApiUrl?: string } = {},
): Promise<Ingress> {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) });
  const githubApiUrl = deps.githubApiUrl ?? 'http://127.0.0.1:9';
  const options = { appId: APP_ID, privateKey: PRIVATE_KEY, webhookSecret: SECRET, githubApiUrl, log };
  const probot = await createProbot({ ...options, handlers });
  const remembered = new Set<string>();
  const endpoint = receiveWebhook({
    appId: APP_ID,
    secrets: [SECRET],
    probot: {
      receive: async event => {
        await probot.receive(event);
        remembered.add(event.id);
      },
    },
    log,
    ...deps,
  });
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    routes: new Map([[WEBHOOK_PATH, endpoint]]),
    isReady: async () => ({ ready: true }),
    log,
  });
  onTestFinished(() => server.close(0));
  return { url: server.url + WEBHOOK_PATH, port: server.port, remembered, log: lines };
}

export interface DeliveryInput {
  readonly name?: string;
  readonly id?: string;
  readonly payload?: unknown;
  readonly secret?: string;
  readonly method?: string;
  /** An empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Delivers as GitHub does, signed. */
export async function deliver(url: string, input: DeliveryInput = {}) {
  const { payload = { zen: 'Keep it logically awesome.' }, method = 'POST' } = input;
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const headers = Object.entries({
    'content-type': 'application/json',
    'x-github-event': input.name ?? 'ping',
    'x-github-delivery': input.id ?? randomUUID(),
    'x-github-hook-installation-target-id': String(APP_ID),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': await sign(input.secret ?? SECRET, body),
    ...input.headers,
  }).filter(([, value]) => value !== '');
  const response = await fetch(url, { method, headers, ...(method === 'POST' ? { body } : {}) });
  return {
    status: response.status,
    headers: response.headers,
    body: (method === 'HEAD' ? {} : await response.json()) as Record<string, string>,
  };
}

/**
 * Speaks HTTP by hand: sends the head of a delivery and then bodies as `feed` says, until the server ends it.
 * Gives what the server said and how many bytes of body had been written by then.
 */
export function speak(
  port: number,
  headers: readonly string[],
  feed: (send: (bytes: string) => boolean) => void,
) {
  return new Promise<{ readonly answer: string; readonly sent: number }>(resolve => {
    let answer = '';
    let sent = 0;
    const socket = connect(port, '127.0.0.1');
    socket.on('data', chunk => {
      answer += chunk.toString();
    });
    socket.on('error', () => {}); // the server closes while we still write
    socket.on('close', () => resolve({ answer, sent }));
    socket.on('connect', () => {
      socket.write([`POST ${WEBHOOK_PATH} HTTP/1.1`, 'host: x', ...SIGNED, ...headers, '', ''].join('\r\n'));
      feed(bytes => {
        sent += bytes.length;
        return socket.writable && socket.write(bytes);
      });
    });
  });
}

const SIGNED = [
  'content-type: application/json',
  'x-github-event: push',
  'x-github-delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
  `x-hub-signature-256: sha256=${'0'.repeat(64)}`,
];
