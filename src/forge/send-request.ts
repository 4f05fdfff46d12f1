import type { ForgeClock } from './forge-clock.ts';
import { readRefusal } from './read-refusal.ts';
import type { Refusal, Sent } from './refusal.ts';

/** Between one try and the next, when GitHub was not itself; so three tries in all. */
const BACKOFF_MS = [150, 600];
const RATE_LIMIT_TRIES = 2;
/** A job waits this long for a rate limit to pass; for longer it goes back into the queue. */
const LONGEST_WAIT_MS = 5000;

/** What octokit gives. */
export interface Reply<Data> {
  readonly status: number;
  readonly data: Data;
  readonly url: string;
}

export interface Manners {
  /**
   * True when doing it twice is doing it once. A request that is not (a new comment, a new pull request, a new
   * check) is sent again only when it surely did nothing: no connection, a rate limit.
   */
  readonly repeatable: boolean;
  readonly clock: ForgeClock;
}

/**
 * Sends one request, and again a bounded number of times: quickly after a 5xx or a lost connection, after the time
 * GitHub names when it limits our rate and that time is short. Everything else is for the caller to judge.
 */
export async function sendRequest<Data>(
  send: () => Promise<Reply<Data>>,
  { repeatable, clock }: Manners,
): Promise<Sent<Data>> {
  let failures = 0;
  let limits = 0;
  for (;;) {
    const sent = await sendOnce(send, clock, repeatable);
    if (sent.kind === 'unavailable' && !sent.mayBeDone) {
      const pause = BACKOFF_MS[failures];
      if (pause === undefined) return sent;
      failures += 1;
      await clock.sleep(pause * (1 + Math.random() / 2));
    } else if (sent.kind === 'limited' && sent.waitMs <= LONGEST_WAIT_MS && limits < RATE_LIMIT_TRIES) {
      limits += 1;
      await clock.sleep(sent.waitMs);
    } else return sent;
  }
}

async function sendOnce<Data>(
  send: () => Promise<Reply<Data>>,
  clock: ForgeClock,
  repeatable: boolean,
): Promise<Sent<Data>> {
  const sent = await readOnce(send, clock);
  return sent.kind === 'unavailable' && repeatable ? { ...sent, mayBeDone: false } : sent;
}

async function readOnce<Data>(send: () => Promise<Reply<Data>>, clock: ForgeClock): Promise<Sent<Data>> {
  try {
    const reply = await send();
    return oddReply(reply) ?? { kind: 'answered', value: reply.data };
  } catch (error) {
    const refusal = readRefusal(error, clock.now());
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/**
 * Redirects are not followed: a POST that follows one becomes a GET, and its answer looks like success.
 * An answer that broke off half-way reaches us as text instead of JSON.
 */
function oddReply(reply: Reply<unknown>): Refusal | undefined {
  const { status } = reply;
  const where = URL.canParse(reply.url) ? new URL(reply.url).pathname : reply.url;
  if (status >= 300) return { kind: 'moved', where, words: 'moved', status };
  if (status === 204 || typeof reply.data === 'object') return undefined;
  const words = 'the answer was not the JSON it should be';
  return { kind: 'unavailable', where, words, status, mayBeDone: true };
}
