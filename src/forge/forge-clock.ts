import { setTimeout as sleep } from 'node:timers/promises';

export interface ForgeClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export const systemClock: ForgeClock = {
  now: () => Date.now(),
  sleep: async milliseconds => {
    await sleep(milliseconds);
  },
};
