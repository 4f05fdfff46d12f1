import type { Backend } from './backend.ts';
import type { Queues } from './open-queues.ts';
import type { Workers } from './start-workers.ts';
import { settledWithin } from './within-deadline.ts';

const CLOSE_MS = 2000;

/** Ends everything in the order that loses nothing: workers, producers, connections. Safe to call twice. */
export async function shutDown(
  open: { readonly workers?: Workers; readonly queues?: Queues; readonly backend: Backend },
  graceMs: number,
): Promise<void> {
  await open.workers?.drain(graceMs);
  if (open.queues) await settledWithin(open.queues.close(), CLOSE_MS);
  await settledWithin(open.backend.close(), CLOSE_MS);
}
