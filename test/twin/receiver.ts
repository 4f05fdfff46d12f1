import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verify } from '@octokit/webhooks-methods';
import { readBody } from './http/read-body.ts';

interface Received {
  readonly event: string;
  readonly guid: string;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every kind
  readonly payload: any;
  readonly isSigned: boolean;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Of the events of one name, and action when given. */
  readonly of: (event: string, action?: string) => readonly Received[];
  /** What it answers from now on: a status, or nothing at all. */
  answer: number | 'nothing';
  readonly close: () => Promise<void>;
}

/** Stands in for an app's server: takes webhooks, checks their signature, keeps them. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = (await readBody(request)).toString('utf8');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
    const isSigned = await verify(secret, body, headers['x-hub-signature-256'] ?? '');
    const event = headers['x-github-event'] ?? '';
    received.push({
      event,
      guid: headers['x-github-delivery'] ?? '',
      headers,
      payload: JSON.parse(body),
      isSigned,
    });
    if (receiver.answer !== 'nothing') response.writeHead(receiver.answer).end('noted');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    of: (event, action) =>
      received.filter(
        each => each.event === event && (action === undefined || each.payload.action === action),
      ),
    answer: 202,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return receiver;
}
