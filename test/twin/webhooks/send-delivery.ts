import { request } from 'node:http';
import { sign } from '@octokit/webhooks-methods';
import type { Clock } from '../world/clock.ts';
import type { MutableDelivery } from './delivery.ts';

/** Posts the payload to the app's hook URL, signed as GitHub signs, and writes down what came of it. */
export async function sendDelivery(
  delivery: MutableDelivery,
  clock: Clock,
  deadlineMs: number,
): Promise<void> {
  const { app } = delivery;
  const body = JSON.stringify(delivery.payload);
  delivery.deliveredAt = clock.now();
  delivery.requestHeaders = {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/7f0c2d1',
    'x-github-delivery': delivery.guid,
    'x-github-event': delivery.event,
    'x-github-hook-id': String(app.id + 400_000_000),
    'x-github-hook-installation-target-id': String(app.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': await sign(app.webhookSecret, body),
  };
  const started = performance.now();
  if (app.webhookUrl === null) Object.assign(delivery, UNREACHABLE);
  else Object.assign(delivery, await post(app.webhookUrl, delivery.requestHeaders, body, deadlineMs));
  delivery.duration = Math.round((performance.now() - started) / 10) / 100;
  delivery.state = 'done';
}

type Outcome = Pick<MutableDelivery, 'status' | 'statusCode' | 'responseHeaders' | 'responseBody'>;

const UNREACHABLE: Outcome = {
  status: 'failed to connect to host',
  statusCode: 502,
  responseHeaders: {},
  responseBody: '',
};

function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  deadlineMs: number,
): Promise<Outcome> {
  return new Promise(resolve => {
    const length = Buffer.byteLength(body);
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      agent: false as const,
    };
    const call = request(url, options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(UNREACHABLE));
      response.on('end', () => {
        clearTimeout(timer);
        const status = response.statusCode ?? 0;
        resolve({
          status: status >= 200 && status < 300 ? 'OK' : (response.statusMessage ?? 'error'),
          statusCode: status,
          responseHeaders: Object.fromEntries(
            Object.entries(response.headers).map(([k, v]) => [k, String(v)]),
          ),
          responseBody: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    const timer = setTimeout(() => {
      call.destroy();
      resolve({ ...UNREACHABLE, status: 'timed out', statusCode: 504 });
    }, deadlineMs);
    call.on('error', () => {
      clearTimeout(timer);
      resolve(UNREACHABLE);
    });
    call.end(body);
  });
}
