import { Fault, type Retry } from '../fault/fault.ts';

/** The stable codes of everything GitHub can do wrong for us. */
export type ForgeFaultCode =
  /** GitHub knows us and says no: a permission, a lock, an archived repository. */
  | 'forge-forbidden'
  /** GitHub does not know us: the key or the app id is wrong. */
  | 'forge-unauthorised'
  /** GitHub understood the request and found it wrong (422). */
  | 'forge-invalid'
  /** Gone, told by a function that has no `gone` of its own to answer with. */
  | 'forge-gone'
  /** GitHub is not itself, or cannot be reached. */
  | 'forge-unavailable'
  /** Asked too much; `retryAfterMs` says how long to wait. */
  | 'forge-rate-limited';

export interface ForgeFaultDetails {
  readonly retry?: Retry;
  /** What GitHub answered with; null when no answer came. */
  readonly status?: number | null;
  /** GitHub's own id of the request, for its support. */
  readonly requestId?: string;
  /** Milliseconds after which it makes sense to try again. */
  readonly retryAfterMs?: number;
  /** True when the request may have been carried out although no good answer came. */
  readonly outcomeUnknown?: boolean;
  readonly cause?: unknown;
}

/** A fault of GitHub or of the way there. Its texts hold no secrets, and neither does its cause. */
export class ForgeFault extends Fault {
  declare readonly code: ForgeFaultCode;
  readonly status: number | null;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Read again what is there before the same is written a second time. */
  readonly outcomeUnknown: boolean;

  constructor(code: ForgeFaultCode, message: string, details: ForgeFaultDetails = {}) {
    super(code, message, {
      retry: details.retry ?? 'never',
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.name = 'ForgeFault';
    this.status = details.status ?? null;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
  }
}
