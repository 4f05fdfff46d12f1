/** How GitHub said no, or failed to say anything. What to do about it is decided by whoever asked. */
export type Refusal = {
  /** `POST /repos/acme/docs/issues/1/comments`. */
  readonly where: string;
  /** GitHub's own words, shortened; not redacted yet. */
  readonly words: string;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly requestId?: string;
} & (
  | { readonly kind: 'moved' | 'missing' | 'suspended' | 'unauthorised' | 'invalid' }
  | {
      readonly kind: 'forbidden';
      /** What `X-Accepted-GitHub-Permissions` named: `issues=write; pull_requests=write`. */
      readonly accepted: string | undefined;
    }
  | { readonly kind: 'limited'; readonly waitMs: number }
  | {
      readonly kind: 'unavailable';
      /** False when the request surely never arrived, or when doing it twice is doing it once. */
      readonly mayBeDone: boolean;
    }
);

export interface Answered<Value> {
  readonly kind: 'answered';
  readonly value: Value;
}

/** One request, after its retries. */
export type Sent<Value> = Answered<Value> | Refusal;
