import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface SetupSession {
  /** Whoever has it may set up this server; printed where only its operator looks. */
  readonly token: string;
  /** A `Set-Cookie` value for whoever has the token; undefined for anybody else. */
  readonly claim: (token: string) => string | undefined;
  /** The session a request's cookies name, if it was claimed. */
  readonly find: (cookies: string | undefined) => string | undefined;
  /** A state to send through GitHub, good for this session, once and for an hour. */
  readonly issueState: (session: string) => string;
  /** Whether the state was issued to this session, is fresh and was never taken. Takes it. */
  readonly takeState: (session: string, state: string) => boolean;
}

const COOKIE = 'skillkeeper-setup';
const STATE_LIFE_MS = 60 * 60 * 1000; // as long as GitHub's code
const KEPT = 100;

/** Keeps who may set up this server, in memory: a restart makes a new token. */
export function createSetupSession(options: { isSecure: boolean; now?: () => number }): SetupSession {
  const now = options.now ?? Date.now;
  const token = random();
  const sessions = new Set<string>();
  const states = new Map<string, { readonly session: string; readonly expires: number }>();
  return {
    token,
    claim: given => {
      if (!isSame(given, token)) return undefined;
      const session = random();
      sessions.add(session);
      dropOldest(sessions);
      const secure = options.isSecure ? '; Secure' : '';
      return `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${STATE_LIFE_MS / 1000}${secure}`;
    },
    find: cookies => readCookies(cookies).find(session => sessions.has(session)),
    issueState: session => {
      const state = random();
      states.set(state, { session, expires: now() + STATE_LIFE_MS });
      dropOldest(states);
      return state;
    },
    takeState: (session, state) => {
      const issued = states.get(state);
      if (issued?.session !== session) return false; // another session cannot use it up
      states.delete(state);
      return now() < issued.expires;
    },
  };
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

/** In constant time, whatever the lengths. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map(text => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

function dropOldest(kept: Set<string> | Map<string, unknown>): void {
  for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
}

function readCookies(header = ''): string[] {
  const pairs = header.split(';').map(pair => pair.trim().split('=', 2));
  return pairs.filter(([name]) => name === COOKIE).map(([, value = '']) => value);
}
