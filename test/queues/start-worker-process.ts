import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunJob } from '../../queues/jobs.ts';
import { until } from './sample-jobs.ts';
import type { WorkerMessage, WorkerSettings } from './worker-process.ts';

export interface WorkerProcess {
  readonly messages: readonly (WorkerMessage & { readonly at: number })[];
  /** The runs that began, ended, … in this process, in order. */
  runs(kind: WorkerMessage['kind']): string[];
  heard(
    kind: WorkerMessage['kind'],
    runId?: string,
    withinMs?: number,
  ): Promise<WorkerMessage & { at: number }>;
  enqueue(job: RunJob): Promise<void>;
  /** Sends the signal and gives the exit code, or the signal that ended it. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string>;
}

/** Starts a worker in a process of its own. Whoever starts it ends it; ending it twice does no harm. */
export function startWorkerProcess(settings: WorkerSettings): WorkerProcess {
  const child = fork(
    fileURLToPath(new URL('worker-process.ts', import.meta.url)),
    [JSON.stringify(settings)],
    { execArgv: ['--import', 'tsx'] },
  );
  const messages: (WorkerMessage & { at: number })[] = [];
  child.on('message', message => void messages.push({ ...(message as WorkerMessage), at: Date.now() }));
  const find = (kind: string, runId?: string) =>
    messages.find(m => m.kind === kind && (runId === undefined || ('runId' in m && m.runId === runId)));
  return {
    messages,
    runs: kind => messages.flatMap(m => (m.kind === kind && 'runId' in m ? [m.runId] : [])),
    heard: (kind, runId, withinMs) => until(() => find(kind, runId), withinMs),
    async enqueue(job) {
      child.send(job);
      await until(() => find('enqueued', job.runId));
    },
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      }
      return child.exitCode ?? child.signalCode ?? 'unknown';
    },
  };
}
