import type { App } from '../world/world.ts';

/** One attempt to hand an event over. A redelivery and a duplicate are attempts of their own with the same `guid`. */
export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly app: App;
  readonly event: string;
  readonly action: string | null;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly redelivery: boolean;
  /** `held` waits for `release()`; a `dropped` one never left. */
  readonly state: 'waiting' | 'held' | 'dropped' | 'done';
  /** Milliseconds since 1970, by the clock of the twin: when it was sent. */
  readonly deliveredAt: number;
  /** Seconds. */
  readonly duration: number;
  /** `OK`, or what went wrong. */
  readonly status: string;
  readonly statusCode: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
}

export type MutableDelivery = { -readonly [Key in keyof Delivery]: Delivery[Key] };
