import type { Principal } from '../auth/principal.ts';
import type { Limits } from '../core.ts';
import type { Clock } from '../world/clock.ts';
import { ApiError } from './api-error.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const CREATES_CONTENT = /^\/repos\/[^/]+\/[^/]+\/(?:issues|pulls|issues\/\d+\/comments)$/;

interface RateLimit {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Seconds since 1970. */
  readonly reset: number;
}

export interface RateLimiter {
  readonly state: (principal: Principal) => RateLimit;
  /** Counts the request; throws once too many were made. */
  readonly count: (principal: Principal, method: string, path: string) => void;
  /** A 304 costs nothing. */
  readonly giveBack: (principal: Principal) => void;
}

interface Window {
  start: number;
  used: number;
}

export function createRateLimiter(limits: Limits, clock: Clock): RateLimiter {
  const windows = new Map<string, Window>();
  const creations = new Map<string, number[]>();
  const windowOf = (principal: Principal): Window => {
    const key = ownerOf(principal);
    const present = windows.get(key);
    if (present !== undefined && clock.now() - present.start < HOUR) return present;
    const fresh = { start: clock.now(), used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  const state = (principal: Principal): RateLimit => {
    const { start, used } = windowOf(principal);
    const limit = limits.requestsPerHour;
    return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil((start + HOUR) / 1000) };
  };
  const countContent = (principal: Principal): void => {
    const key = ownerOf(principal);
    const recent = (creations.get(key) ?? []).filter(at => clock.now() - at < MINUTE);
    if (recent.length >= limits.contentPerMinute) throw tooMuchContent();
    creations.set(key, [...recent, clock.now()]);
  };
  return {
    state,
    count: (principal, method, path) => {
      if (path === '/rate_limit') return;
      if (state(principal).remaining === 0) {
        throw new ApiError(403, `API rate limit exceeded for ${ownerOf(principal)}.`);
      }
      windowOf(principal).used += 1;
      if (method === 'POST' && CREATES_CONTENT.test(path)) countContent(principal);
    },
    giveBack: principal => {
      windowOf(principal).used -= 1;
    },
  };
}

function tooMuchContent(): ApiError {
  const message =
    'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';
  return new ApiError(403, message, { headers: { 'retry-after': '60' } });
}

function ownerOf(principal: Principal): string {
  if (principal.kind === 'installation') return `installation ID ${principal.token.installation.id}`;
  if (principal.kind === 'user') return `user ID ${principal.account.id}`;
  return principal.kind === 'app' ? `app ID ${principal.app.id}` : '127.0.0.1';
}
