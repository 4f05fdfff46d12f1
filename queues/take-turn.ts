import { randomUUID } from 'node:crypto';
import type { BackendQueue, LineEntry, QueueStore } from './backend.ts';
import { runJobId } from './job-options.ts';
import type { RunJob } from './jobs.ts';

/*
 * Writing runs of one pull request go in the order of their comments. Each joins a line; only the first of the
 * line runs, and it holds a claim while it does, since an even earlier comment may still arrive late. All of
 * this only saves work: what makes it correct is the push, which is refused when the head has moved.
 */

export interface TurnDeps {
  readonly store: QueueStore;
  readonly queue: BackendQueue;
  /** How long a claim outlives the worker that held it, in milliseconds. */
  readonly claimMs: number;
  /** How long a place in line may be without a job: its producer is just adding it. */
  readonly vanishedMs: number;
  readonly onError: (error: unknown) => void;
}

export interface Turn {
  /** Fires when the claim was lost, which takes a worker that stood still for `claimMs`. */
  readonly lost: AbortSignal;
  /** Gives the turn back and wakes the next in line; a run that `isOver` leaves the line for good. */
  end(isOver: boolean): Promise<void>;
}

/** Joins the line of the run's pull request, if it has to take turns at all. Joining twice changes nothing. */
export async function joinTurns(store: QueueStore, job: RunJob): Promise<void> {
  if (job.isWriting) await store.joinLine(lineOf(job), entryOf(job));
}

/** Takes the turn of a writing run; undefined while another one comes first. */
export async function takeTurn(deps: TurnDeps, job: RunJob): Promise<Turn | undefined> {
  await joinTurns(deps.store, job);
  const token = randomUUID();
  if (!(await isFirst(deps, job))) return undefined;
  const isMine = await deps.store.claim(claimOf(job), runJobId(job.runId), token, deps.claimMs);
  if (!isMine) return undefined;
  const lost = new AbortController();
  const stopRenewing = keepClaim(deps, job, token, lost);
  return {
    lost: lost.signal,
    async end(isOver) {
      stopRenewing();
      if (isOver) await deps.store.leaveLine(lineOf(job), runJobId(job.runId));
      await deps.store.release(claimOf(job), token);
      await wakeNext(deps, job);
    },
  };
}

/** Whether `takeTurn` would succeed now. It only looks: the job may be running elsewhere already. */
export async function isTurn(deps: TurnDeps, job: RunJob): Promise<boolean> {
  return (await isFirst(deps, job)) && !(await deps.store.isClaimed(claimOf(job)));
}

/** Takes a run that ended without a turn of its own (it crashed too often) out of the line. */
export async function leaveTurns(deps: TurnDeps, job: RunJob): Promise<void> {
  if (!job.isWriting) return;
  await deps.store.leaveLine(lineOf(job), runJobId(job.runId));
  await wakeNext(deps, job);
}

async function isFirst(deps: TurnDeps, job: RunJob): Promise<boolean> {
  const jobId = runJobId(job.runId);
  return (await firstInLine(deps, lineOf(job), jobId))?.jobId === jobId;
}

/** The first whose job still has something to do; all before it are dropped, or they would block the line for ever. */
async function firstInLine(deps: TurnDeps, line: string, self: string): Promise<LineEntry | undefined> {
  for (const entry of await deps.store.readLine(line)) {
    if (entry.jobId === self) return entry;
    const state = await deps.queue.getJobState(entry.jobId);
    const isOver =
      state === 'completed' ||
      state === 'failed' ||
      (state === 'unknown' && Date.now() - entry.joinedAt > deps.vanishedMs);
    if (!isOver) return entry;
    await deps.store.leaveLine(line, entry.jobId);
  }
  return undefined;
}

async function wakeNext(deps: TurnDeps, job: RunJob): Promise<void> {
  const next = await firstInLine(deps, lineOf(job), runJobId(job.runId));
  if (next === undefined || next.jobId === runJobId(job.runId)) return;
  const waiting = await deps.queue.getJob(next.jobId);
  await waiting?.promote().catch(() => {}); // it was not deferred yet, and will find its turn by itself
}

function keepClaim(deps: TurnDeps, job: RunJob, token: string, lost: AbortController): () => void {
  let sureUntil = performance.now() + deps.claimMs;
  const timer = setInterval(async () => {
    const asked = performance.now();
    try {
      if (!(await deps.store.renew(claimOf(job), token, deps.claimMs))) lost.abort();
      else sureUntil = asked + deps.claimMs;
    } catch (error) {
      deps.onError(error);
      if (performance.now() > sureUntil) lost.abort();
    }
  }, deps.claimMs / 3);
  return () => clearInterval(timer);
}

function lineOf(job: RunJob): string {
  return `${job.repositoryId}-${job.issueNumber}`;
}

function claimOf(job: RunJob): string {
  return `turn-${lineOf(job)}`;
}

function entryOf(job: RunJob): LineEntry {
  return { jobId: runJobId(job.runId), commentId: job.commentId, commandIndex: job.commandIndex };
}
