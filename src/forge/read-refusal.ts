import type { Refusal } from './refusal.ts';

const LONGEST_WORDS = 500;
/** "Wait for at least one minute before retrying": what GitHub advises when it names no time. */
const DEFAULT_WAIT_MS = 60_000;
// These fail before a byte of the request is on its way.
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What octokit throws, as far as we read it. */
interface HttpError extends Error {
  readonly status: number;
  readonly request: { readonly method?: string; readonly url?: string };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | number | undefined>>;
    readonly data: unknown;
  };
}

/**
 * Reads what octokit threw. Gives undefined for anything that is not an answer of GitHub or a failed connection:
 * that is a mistake of ours and is thrown on.
 *
 * @param now Milliseconds, for answers without a `date` of their own.
 */
export function readRefusal(error: unknown, now: number): Refusal | undefined {
  if (!isHttpError(error)) return undefined;
  const { response } = error;
  const where = whereOf(error);
  if (response === undefined) {
    const mayBeDone = !NEVER_CONNECTED.has(connectionCode(error));
    return { kind: 'unavailable', where, words: shorten(error.message), status: null, mayBeDone };
  }
  const { status, headers } = response;
  const words = shorten(wordsOf(response.data, error.message));
  const id = headers['x-github-request-id'];
  const base = { where, words, status, ...(id === undefined ? {} : { requestId: String(id) }) };
  // A wrong app id is told as 404, which must not pass for an installation that is gone.
  if (status === 401 || /^integration not found/i.test(words)) return { ...base, kind: 'unauthorised' };
  if (status === 404 || status === 410 || status === 451) return { ...base, kind: 'missing' };
  if (status === 403 || status === 429) return readForbidden(base, headers, now);
  if (status >= 500) return { ...base, kind: 'unavailable', mayBeDone: true };
  return { ...base, kind: 'invalid' };
}

type Base = Pick<Refusal, 'where' | 'words' | 'status'>;
type Headers = Readonly<Record<string, string | number | undefined>>;

/** 403 has three meanings: too fast, suspended, not allowed. */
function readForbidden(base: Base, headers: Headers, now: number): Refusal {
  const waitMs = waitOf(base, headers, now);
  if (waitMs !== undefined) return { ...base, kind: 'limited', waitMs };
  if (/installation has been suspended/i.test(base.words)) return { ...base, kind: 'suspended' };
  const accepted = headers['x-accepted-github-permissions'];
  return { ...base, kind: 'forbidden', accepted: accepted === undefined ? undefined : String(accepted) };
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
function waitOf(base: Base, headers: Headers, now: number): number | undefined {
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
  if (Number.isFinite(retryAfter)) return Math.max(1000, retryAfter * 1000);
  const isSecondary = /\bsecondary rate\b|\babuse detection\b/i.test(base.words);
  if (!isSecondary && headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
    const theirNow = Date.parse(String(headers.date ?? '')) || now;
    return Number.isFinite(reset) ? Math.max(1000, reset - theirNow) : DEFAULT_WAIT_MS;
  }
  return isSecondary || base.status === 429 ? DEFAULT_WAIT_MS : undefined;
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && error.name === 'HttpError' && 'status' in error && 'request' in error;
}

/** Undici hides the reason one or two causes deep. */
function connectionCode(error: Error): string {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    cause = cause.cause;
  }
  return '';
}

/** The path alone: the host is the one of the configuration, the query tells nothing new. */
function whereOf({ request }: HttpError): string {
  const url = request.url ?? '';
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  return `${request.method ?? 'GET'} ${path}`;
}

/** The message, and of a 422 what is wrong where. */
function wordsOf(data: unknown, fallback: string): string {
  if (typeof data !== 'object' || data === null || !('message' in data)) return fallback;
  const errors = 'errors' in data && Array.isArray(data.errors) ? data.errors.map(wordsOfOne) : [];
  const rest = errors.filter(each => each !== '');
  return rest.length === 0 ? String(data.message) : `${data.message}: ${rest.join('; ')}`;
}

function wordsOfOne(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, field, code } = (error ?? {}) as { message?: unknown; field?: unknown; code?: unknown };
  if (typeof message === 'string') return message;
  return [field, code].filter(each => typeof each === 'string').join(' ');
}

/** On one line, and not a whole HTML page of a proxy. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_WORDS ? line : `${line.slice(0, LONGEST_WORDS).toWellFormed()}...`;
}
