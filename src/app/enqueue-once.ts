import type { DeliveryKey, Queues } from '../../queues/open-queues.ts';
import type { QueuedJob } from './jobs-of-event.ts';

/**
 * Puts what a delivery asks for into the queue, and remembers the delivery once all of it is there. Of one that was
 * taken before only the runs are handed in again: one that failed is tried anew, one that is queued, running or done
 * is known by its id. Rejects with a `QueueDownFault`; the delivery is then not remembered.
 */
export async function enqueueOnce(
  queues: Queues,
  delivery: DeliveryKey,
  jobs: readonly QueuedJob[],
): Promise<void> {
  if (jobs.length === 0) return;
  const isKnown = await queues.hasDelivery(delivery);
  const wanted = jobs.filter(({ queue }) => !isKnown || queue === 'run');
  const add = ({ queue, job }: QueuedJob) =>
    (queues[queue] as (job: QueuedJob['job']) => Promise<unknown>)(job);
  await Promise.all(wanted.map(add));
  if (!isKnown) await queues.rememberDelivery(delivery);
}
