import type { Logger } from 'pino';
import { Fault } from '../fault/fault.ts';

export interface ProxyDeps {
  /** The channel's address (`WEBHOOK_PROXY_URL`). Whoever knows it can read what comes through it. */
  readonly source: string;
  /** Our own webhook endpoint. */
  readonly target: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly loadClient?: () => Promise<Pick<typeof import('smee-client'), 'SmeeClient'>>;
}

const CONNECT_MS = 10_000;
const CLOSED = 2; // EventSource.CLOSED
const SILENT = { info: () => {}, error: () => {} };

/**
 * For development: brings deliveries from a smee.io channel to our own endpoint, until it is closed.
 *
 * The channel hands on the parsed body, so the bytes GitHub signed are written again. GitHub writes compact JSON
 * with escapes in upper case, and so do we; a body written in any other way fails its signature and is refused
 * with a warning: https://github.com/octokit/webhooks.js/issues/71.
 *
 * smee-client keeps the connection. Its own forwarding would answer escapes in lower case and send what is meant
 * for this machine through the network's proxy.
 *
 * Faults: `proxy-client-missing`, `proxy-unreachable` (retry later).
 */
export async function receiveFromProxy(deps: ProxyDeps): Promise<{ readonly close: () => Promise<void> }> {
  const { source, target, log } = deps;
  const SmeeClient = await loadClient(deps);
  const client = new SmeeClient({
    source,
    target,
    forward: false,
    logger: SILENT,
    maxConnectionTimeout: CONNECT_MS,
  });
  const forwarding = new Set<Promise<void>>();
  client.onmessage = ({ data }) => {
    const work = forward(String(data), target, log).finally(() => forwarding.delete(work));
    forwarding.add(work);
  };
  const events = await client.start().catch(async cause => {
    await client.stop();
    const message = `WEBHOOK_PROXY_URL is ${source}, which does not answer. Check the address and the network, or open https://smee.io/new for another one.`;
    throw new Fault('proxy-unreachable', message, { cause, retry: 'later' });
  });
  client.onerror = () => {
    // Anything else is a connection that broke and is made again.
    if (events.readyState === CLOSED)
      log.warn('the webhook proxy refused to go on, no more deliveries come. Start again');
  };
  log.info({ proxy: new URL(source).origin, target }, 'deliveries come through the webhook proxy');
  return {
    close: async () => {
      await client.stop();
      await Promise.all(forwarding);
    },
  };
}

async function loadClient({ loadClient: load = () => import('smee-client') }: ProxyDeps) {
  try {
    return (await load()).SmeeClient;
  } catch (cause) {
    const message =
      'WEBHOOK_PROXY_URL is set, and smee-client, a development dependency, is not installed. Run `npm install --include=dev`, or remove WEBHOOK_PROXY_URL and let GitHub reach this server at PUBLIC_URL.';
    throw new Fault('proxy-client-missing', message, { cause });
  }
}

/** Never rejects: a delivery that is not taken is said in the log. */
async function forward(data: string, target: string, log: ProxyDeps['log']): Promise<void> {
  try {
    const { body, ...fields } = JSON.parse(data) as Record<string, unknown>;
    const headers = headersOfGithub(fields);
    const facts = { delivery: headers['x-github-delivery'], event: headers['x-github-event'] };
    const response = await fetch(target, {
      method: 'POST',
      headers,
      body: writeAsGithub(body),
      redirect: 'error',
    });
    const answer = await response.text();
    if (!response.ok)
      log.warn(
        { ...facts, status: response.status, answer },
        'a delivery from the webhook proxy was not taken',
      );
  } catch (error) {
    // Of a message that is no JSON the parser's error would quote a piece.
    const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
    log.warn({ why }, 'a message from the webhook proxy was not forwarded');
  }
}

/** The headers of a delivery lie beside its body, in lower case, with those of the way to the proxy among them. */
function headersOfGithub(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept = Object.entries(fields).filter(([name]) =>
    /^(?:content-type|x-github-.*|x-hub-.*)$/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

/** A pair of backslashes is matched as one, so that what only looks like an escape stays. */
function writeAsGithub(body: unknown): string {
  if (body === undefined) throw new Error('it has no body');
  return JSON.stringify(body).replace(/\\(?:u([0-9a-f]{4})|.)/g, (whole, code?: string) =>
    code === undefined ? whole : `\\u${code.toUpperCase()}`,
  );
}
