import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Probot } from 'probot';
import { Fault } from '../fault/fault.ts';
import { answerJson, type Handle } from './answer.ts';
import { BODY_LIMIT_BYTES, readBody } from './read-body.ts';
import { signatureVerifier } from './verify-signature.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';

export interface WebhookDeps {
  readonly appId: number;
  /** The current webhook secret, then the previous one while it is rotated. */
  readonly secrets: readonly string[];
  /** `receive` resolves when everything the event asks for is durably in the queue; its handlers call no GitHub. */
  readonly probot: Pick<Probot, 'receive'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** GitHub gives up after ten seconds and never tries again by itself. Default 8,000. */
  readonly budgetMs?: number;
  /** For the whole body. Default 10,000. */
  readonly bodyTimeoutMs?: number;
}

/** Verified; its id is the same when it is delivered again. */
type Event = Parameters<Probot['receive']>[0];

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const CLOSE = { connection: 'close' };
const RETRY = { 'retry-after': '30' };

/**
 * Makes the webhook endpoint: checks the request, verifies its signature over the raw bytes, hands the event
 * over. Whether it was taken before is decided where its jobs are enqueued. What it answers stands in the app's list
 * of deliveries on GitHub, so each refusal says what to change. Bodies and secrets are never logged.
 */
export function receiveWebhook(deps: WebhookDeps): Handle {
  const verify = signatureVerifier(deps.secrets);
  return async (request, response) => {
    const send = ({ status, body, headers }: Answer): void => answerJson(response, status, body, headers);
    const refusal = checkRequest(request.method, request.headers, deps.appId);
    if (refusal !== undefined) return send(refusal);
    const limits = { limitBytes: BODY_LIMIT_BYTES, timeoutMs: deps.bodyTimeoutMs ?? 10_000 };
    const body = await readBody(request, limits);
    if (body.kind === 'aborted') return;
    if (body.kind === 'too-large')
      return send(refuse(413, 'too-large', 'A delivery has at most 25 MiB.', CLOSE));
    if (body.kind === 'too-slow')
      return send(refuse(408, 'too-slow', 'The body did not arrive in time.', CLOSE));
    if (!(await verify(body.bytes, header(request.headers, 'x-hub-signature-256'))))
      return send(refuse(401, 'bad-signature', BAD_SIGNATURE));
    const payload = parseObject(body.bytes);
    if (payload === undefined) return send(refuse(400, 'bad-json', 'The body is no JSON object.'));
    const id = header(request.headers, 'x-github-delivery');
    const name = header(request.headers, 'x-github-event');
    send(await handOver({ id, name, payload } as Event, deps)); // names newer than our types go the same way
  };
}

const BAD_SIGNATURE =
  "The signature does not fit the body. Compare the webhook secret on the app's settings page with " +
  'WEBHOOK_SECRET; while you change it, give the old one as WEBHOOK_SECRET_PREVIOUS.';

const NEEDED = {
  'x-github-event': /^[a-z0-9_]{1,64}$/,
  'x-github-delivery': /^[A-Za-z0-9-]{1,64}$/,
  'x-hub-signature-256': /^sha256=[0-9a-f]{64}$/,
};

function checkRequest(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  appId: number,
): Answer | undefined {
  if (method !== 'POST')
    return refuse(405, 'not-a-post', 'Deliveries come as POST requests.', { allow: 'POST' });
  const type = header(headers, 'content-type').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    const advice =
      'On the app\'s settings page choose "application/json" as the content type of the webhook.';
    return refuse(415, 'not-json', `The content type must be application/json. ${advice}`);
  }
  for (const [name, shape] of Object.entries(NEEDED)) {
    const value = header(headers, name);
    if (value === '') return refuse(400, 'missing-header', `The header ${name} is missing.`);
    if (!shape.test(value)) return refuse(400, 'bad-header', `The header ${name} is malformed.`);
  }
  const target = header(headers, 'x-github-hook-installation-target-id');
  if (target === '' || target === String(appId)) return undefined;
  const message = `This delivery is for ${target}, and this is the app ${appId}. Compare APP_ID with the app's settings page.`;
  return refuse(400, 'other-app', message);
}

async function handOver(event: Event, deps: WebhookDeps): Promise<Answer> {
  const started = performance.now();
  const facts = { delivery: event.id, event: event.name };
  try {
    await withinBudget(deps.probot.receive(event), deps.budgetMs ?? 8000);
    const ms = Math.round(performance.now() - started);
    deps.log.info({ ...facts, ms }, 'delivery received');
    return { status: 202, body: { status: 'accepted' } };
  } catch (error) {
    const inner = innerErrors(error);
    const queue = inner.find(each => each instanceof Fault && each.code.startsWith('queue-'));
    if (queue instanceof Fault) {
      deps.log.warn({ ...facts, code: queue.code, reason: queue.message }, 'delivery not taken: no queue');
      return refuse(503, queue.code, 'The queue takes no work now. Redeliver this delivery later.', RETRY);
    }
    // Only what is named here: the event, body and all, hangs on errors of handlers.
    const { name, message, stack } = inner[0] ?? new Error('no reason given');
    deps.log.error({ ...facts, err: { type: name, message, stack } }, 'delivery failed');
    return refuse(500, 'failed', 'Taking this delivery failed; the log says why. Redelivering it is safe.');
  }
}

/** Work that outlives the budget goes on; the delivery shows as failed, and redelivering it is safe. */
async function withinBudget<T>(work: Promise<T>, budgetMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const message = `The queue did not take the event within ${budgetMs} ms.`;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Fault('queue-too-slow', message, { retry: 'later' })), budgetMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Handlers' errors come wrapped, one for each handler that failed. */
function innerErrors(error: unknown): Error[] {
  if (error instanceof AggregateError) return error.errors.flatMap(innerErrors);
  return [error instanceof Error ? error : new Error(String(error))];
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // its message quotes the body
  }
}

function header(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? '');
}

function refuse(
  status: number,
  error: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return { status, body: { error, message }, ...(headers === undefined ? {} : { headers }) };
}
