/**
 * What the caller may do about a fault: `never` try the same again, try `later` (something outside has to
 * recover first), or try again `now` (a race was lost).
 */
export type Retry = 'never' | 'later' | 'now';

/**
 * Something that could not be expected. Expected outcomes are unions, never faults.
 * The message says what happened, why, and what to do next; `code` is stable and meant for programs.
 */
export class Fault extends Error {
  readonly code: string;
  readonly retry: Retry;

  constructor(code: string, message: string, options: { cause?: unknown; retry?: Retry } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.name = 'Fault';
    this.code = code;
    this.retry = options.retry ?? 'never';
  }
}
