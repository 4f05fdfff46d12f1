import type { GivenUp } from '../../queues/close-failed-jobs.ts';
import type { JobOf } from '../../queues/jobs.ts';
import type { JobContext } from '../../queues/run-job.ts';
import type { Handlers } from '../../queues/start-workers.ts';
import { escapeMarkdown } from '../forge/escape-markdown.ts';
import { ForgeFault } from '../forge/forge-fault.ts';
import { commitId } from '../git/object-id.ts';
import { acknowledge } from '../runs/acknowledge.ts';
import { concludeCheck } from '../runs/conclude-check.ts';
import { executeRun, reportFailure } from '../runs/execute-run.ts';
import { forgetStore, refreshStore } from '../runs/keep-store.ts';
import type { RunDependencies } from '../runs/run-dependencies.ts';

/** What each queue's jobs do. */
export function handleJobs(dependencies: RunDependencies): Handlers {
  return {
    acknowledge: job => endQuietly(() => acknowledge(job, dependencies), dependencies),
    run: (job, { signal }: JobContext) =>
      endQuietly(() => executeRun(job, dependencies, signal), dependencies),
    check: job => {
      const request = 'headSha' in job ? { ...job, headSha: commitId(job.headSha) } : job;
      return endQuietly(() => concludeCheck(request, dependencies), dependencies);
    },
    maintain: (job, { signal }) => endQuietly(() => maintain(job, dependencies, signal), dependencies),
  };
}

// What the work was about went away under it (deleted, uninstalled, suspended): nobody is left to be told.
async function endQuietly(work: () => Promise<unknown>, { log }: RunDependencies): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ForgeFault && error.code === 'forge-gone')) throw error;
    log('info', 'a job ended: what it was about is gone', { why: error.message });
  }
}

async function maintain(
  job: JobOf<'maintain'>,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<void> {
  if (job.kind === 'refresh-store') return refreshStore(job, dependencies, signal);
  return forgetStore(job.repositoryId, dependencies);
}

/** Ends a job that failed for good in front of whoever waits for it. Only runs have somebody who waits. */
export async function tellGivenUp(givenUp: GivenUp, dependencies: RunDependencies): Promise<void> {
  dependencies.log('error', 'a job was given up', { queue: givenUp.queue, error: givenUp.error.message });
  if (givenUp.queue !== 'run') return;
  const why = `I tried several times and failed: ${firstLine(givenUp.error.message)} Comment the command again later; if it fails again, tell whoever runs this app (run \`${givenUp.job.runId.slice(0, 8)}\`).`;
  await endQuietly(() => reportFailure(givenUp.job, dependencies, why), dependencies);
}

function firstLine(message: string): string {
  const line = escapeMarkdown((message.split('\n')[0] ?? '').slice(0, 300));
  return /[.!?]$/u.test(line) ? line : `${line}.`;
}
