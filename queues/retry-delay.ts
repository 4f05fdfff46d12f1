import type { Retry } from '../src/fault/fault.ts';

const LONGEST_MS = 60_000;

/** What a fault says about trying again. What says nothing is taken for an outage: a run may be tried twice. */
export function retryOf(error: unknown): Retry {
  const retry = (error as { retry?: unknown } | null | undefined)?.retry;
  return retry === 'never' || retry === 'now' ? retry : 'later';
}

/**
 * Milliseconds to wait before the next attempt, doubling from `baseMs` up to a minute. Half of it is chance, so
 * that what failed together does not come back together.
 */
export function retryDelay(baseMs: number, attemptsMade: number, error: unknown): number {
  if (retryOf(error) === 'now') return 0;
  const longest = Math.min(baseMs * 2 ** (attemptsMade - 1), LONGEST_MS);
  return Math.round(longest * (0.5 + Math.random() / 2));
}
