import { setTimeout as sleep } from 'node:timers/promises';
import type { RunJob } from '../../queues/jobs.ts';

/** A writing run on pull request 7; later comments have higher ids. */
export function aRun(runId: string, changes: Partial<RunJob> = {}): RunJob {
  return {
    runId,
    installationId: 1,
    repositoryId: 42,
    issueNumber: 7,
    commentId: 1000,
    commandIndex: 0,
    commentDigest: '0'.repeat(64),
    commentCreatedAt: '2026-12-01T10:00:00Z',
    isWriting: true,
    ...changes,
  };
}

/** Waits until `what` gives something truthy, and gives that. */
export async function until<T>(what: () => T | Promise<T>, withinMs = 40_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await what();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}
