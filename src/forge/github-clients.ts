import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { Redact } from '../git/redact.ts';

const REQUEST_TIMEOUT_MS = 15_000;

/** Pino's shape. Nothing secret is ever written to it. */
export interface ForgeLog {
  readonly debug: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  readonly warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export interface GithubClients {
  /** Signs in as the app itself. A clock that goes wrong is put right by GitHub's own `date`. */
  readonly asApp: Octokit;
  readonly anonymous: Octokit;
  readonly withToken: (token: string) => Octokit;
}

export interface ClientOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly fetch: typeof fetch;
  readonly log: ForgeLog | undefined;
  readonly redact: Redact;
}

/**
 * Octokit without its retry and throttling plugins: the first would send a POST again after a lost answer, the
 * second puts a second between any two writes. `send-request.ts` does what is left to do.
 */
export function createGithubClients(options: ClientOptions): GithubClients {
  const { appId, privateKey, apiUrl, userAgent, log, redact } = options;
  const base = {
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent,
    request: { fetch: watchedFetch(options) },
    log: {
      debug: () => {}, // would write down whole requests
      info: () => {},
      warn: (message: string) => log?.warn({}, redact(message)),
      error: () => {}, // every refusal; those that matter become faults
    },
  };
  return {
    asApp: new Octokit({ ...base, authStrategy: createAppAuth, auth: { appId, privateKey } }),
    anonymous: new Octokit(base),
    withToken: token => new Octokit({ ...base, auth: token }),
  };
}

/** Adds a deadline, keeps redirects from being followed, and writes down what was asked and how long it took. */
function watchedFetch({ fetch, log, redact }: ClientOptions): typeof fetch {
  return async (input, init) => {
    const started = performance.now();
    const describe = (): Record<string, unknown> => ({
      method: init?.method ?? 'GET',
      path: redact(pathOf(String(input))),
      milliseconds: Math.round(performance.now() - started),
    });
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      const response = await fetch(input, { ...init, redirect: 'manual', signal });
      const requestId = response.headers.get('x-github-request-id');
      log?.debug({ ...describe(), status: response.status, requestId }, 'GitHub answered');
      return response;
    } catch (error) {
      log?.debug({ ...describe(), why: redact(String(error)) }, 'GitHub did not answer');
      throw error;
    }
  };
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
