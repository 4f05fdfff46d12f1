export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** As GitHub writes it: whole seconds. */
  readonly iso: () => string;
  readonly advance: (milliseconds: number) => void;
}

/** Runs with real time, and ahead of it by what it was advanced. */
export function createClock(): Clock {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  return {
    now,
    iso: () => isoOf(now()),
    advance: milliseconds => {
      ahead += milliseconds;
    },
  };
}

export function isoOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
