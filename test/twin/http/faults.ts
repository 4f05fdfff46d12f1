export interface Fault {
  /** Any method when left out. */
  readonly method?: string;
  /** Tested against the path without the query. */
  readonly path: RegExp;
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often; once when left out. */
  readonly times?: number;
  /** Hangs up without an answer. */
  readonly reset?: boolean;
  /** Does what was asked and hangs up instead of telling: the caller cannot know. */
  readonly loseAnswer?: boolean;
}

export interface Faults {
  readonly add: (fault: Fault) => void;
  /** The fault for this request, if one is due; it is used up by that. */
  readonly take: (method: string, path: string) => Fault | undefined;
  /** Hears of every request as it arrives, before anything is done about it; gives a way to stop listening. */
  readonly tap: (listener: (method: string, path: string) => void) => () => void;
}

export function createFaults(): Faults {
  const waiting: { readonly fault: Fault; left: number }[] = [];
  const listeners = new Set<(method: string, path: string) => void>();
  return {
    add: fault => {
      waiting.push({ fault, left: fault.times ?? 1 });
    },
    tap: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    take: (method, path) => {
      for (const listener of listeners) listener(method, path);
      const due = waiting.find(
        ({ fault, left }) => left > 0 && (fault.method ?? method) === method && fault.path.test(path),
      );
      if (due !== undefined) due.left -= 1;
      return due?.fault;
    },
  };
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits */
export function secondaryRateLimit(retryAfterSeconds: number): Omit<Fault, 'path'> {
  return {
    status: 403,
    headers: { 'retry-after': String(retryAfterSeconds) },
    body: {
      documentation_url:
        'https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
      message:
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.',
    },
  };
}
