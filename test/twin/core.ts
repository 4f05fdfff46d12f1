import type { PullFigures } from './git/compare-pull.ts';
import type { Contract } from './openapi/contract.ts';
import type { Webhooks } from './webhooks/create-webhooks.ts';
import type { World } from './world/world.ts';

export interface Violation {
  /** `request`, `response` and `webhook` break GitHub's published contract; `route` is not served by the twin. */
  readonly kind: 'request' | 'response' | 'webhook' | 'route' | 'error';
  readonly where: string;
  readonly problem: string;
}

/** What every part of the twin works with. */
export interface Core {
  readonly world: World;
  readonly contract: Contract;
  readonly violations: Violation[];
  readonly webhooks: Webhooks;
  readonly figures: Map<string, PullFigures>;
  readonly limits: Limits;
}

export interface Limits {
  /** Requests an hour, for each installation and user. */
  readonly requestsPerHour: number;
  /** "In general, no more than 80 content-generating requests per minute": issues, pull requests, comments. */
  readonly contentPerMinute: number;
  /** "Your server should respond with a 2XX response within 10 seconds of receiving a webhook delivery." */
  readonly webhookDeadlineMs: number;
}
