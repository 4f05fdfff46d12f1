import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { type JobOf, parseJob, type QueueName, type RunJob } from './jobs.ts';
import { QueueFault } from './queue-fault.ts';
import { retryOf } from './retry-delay.ts';
import { isTurn, type Turn, type TurnDeps, takeTurn } from './take-turn.ts';

/** How long a run that waits for its turn sleeps when nobody wakes it: the one before it died. */
const DEFERRED_MS = 2000;

export interface JobContext {
  /** Fires when the work shall stop: the process ends, the deadline is over, or another worker has the job. */
  readonly signal: AbortSignal;
  /** 1 for the first attempt. A job whose worker died is the same attempt again. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** When `signal` fires at the latest, in milliseconds since the epoch. */
  readonly deadline: number;
}

export type Handler<Q extends QueueName> = (job: JobOf<Q>, context: JobContext) => Promise<void>;

export interface RunJobDeps<Q extends QueueName> extends TurnDeps {
  readonly name: Q;
  readonly handler: Handler<Q>;
  readonly deadlineMs: number;
  /** How long a handler may take to stop once its signal fired; then it is not waited for. */
  readonly settleMs: number;
  /** Fires when the process ends: jobs go back to the queue. */
  readonly handBack: AbortSignal;
  /** Whether new jobs are to be handed back untouched. */
  readonly isDraining: () => boolean;
  /** Hears the error that ended a job for good. */
  readonly onFinalFailure: (jobId: string, error: unknown) => void;
}

type Outcome = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Works one job, as BullMQ's processor: returns when done, throws what BullMQ shall do with it otherwise.
 * `lockLost` fires when another worker was given the job, since this one seemed dead.
 */
export async function runJob<Q extends QueueName>(
  deps: RunJobDeps<Q>,
  job: Job,
  token: string,
  lockLost: AbortSignal | undefined,
): Promise<void> {
  if (deps.isDraining()) return returnToQueue(job, token);
  const payload = parseOrGiveUp(deps, job);
  const writing = deps.name === 'run' && (payload as RunJob).isWriting ? (payload as RunJob) : undefined;
  const turn = writing && (await takeTurn(deps, writing));
  if (writing && !turn) return defer(deps, writing, job, token);

  const stop = new Stop(deps, [turn?.lost, lockLost]);
  const outcome = await handle(deps, payload, job, stop).finally(() => stop.release());
  if (outcome.kind === 'failed' && stop.reason === 'handed-back') {
    await endTurn(deps, turn, false);
    return returnToQueue(job, token);
  }
  const isOver = outcome.kind === 'done' || isFinal(job, outcome.error);
  await endTurn(deps, turn, isOver);
  if (outcome.kind === 'done') return;
  if (!isOver) throw outcome.error;
  deps.onFinalFailure(job.id ?? '', outcome.error);
  throw new UnrecoverableError(messageOf(outcome.error));
}

function parseOrGiveUp<Q extends QueueName>(deps: RunJobDeps<Q>, job: Job): JobOf<Q> {
  try {
    return parseJob(deps.name, job.data);
  } catch (error) {
    deps.onFinalFailure(job.id ?? '', error);
    throw new UnrecoverableError(messageOf(error));
  }
}

/** Runs the handler until it settles, or until it has not stopped `settleMs` after it was told to. */
async function handle<Q extends QueueName>(
  deps: RunJobDeps<Q>,
  payload: JobOf<Q>,
  job: Job,
  stop: Stop,
): Promise<Outcome> {
  const context: JobContext = {
    signal: stop.signal,
    attempt: job.attemptsMade + 1,
    isLastAttempt: isLastAttempt(job),
    deadline: stop.deadline,
  };
  const handled = (async () => deps.handler(payload, context))().then(
    (): Outcome => ({ kind: 'done' }),
    (error): Outcome => ({ kind: 'failed', error: stop.reason === 'deadline' ? stop.signal.reason : error }),
  );
  return Promise.race([handled, stop.ignored.then((error): Outcome => ({ kind: 'failed', error }))]);
}

type StopReason = 'deadline' | 'handed-back';

/** Everything that may tell a handler to stop, as one signal that says which it was. */
class Stop {
  reason: StopReason | undefined;
  readonly deadline: number;
  /** Resolves with the reason when the handler went on for `settleMs` after the signal. */
  readonly ignored: Promise<unknown>;
  readonly #controller = new AbortController();
  readonly #cleanUp: (() => void)[] = [];

  constructor(deps: RunJobDeps<QueueName>, lost: readonly (AbortSignal | undefined)[]) {
    this.deadline = Date.now() + deps.deadlineMs;
    const timer = setTimeout(() => this.#stop('deadline', timedOut(deps)), deps.deadlineMs);
    this.#cleanUp.push(() => clearTimeout(timer));
    for (const signal of [deps.handBack, ...lost]) {
      if (signal) this.#watch(signal, () => this.#stop('handed-back', handedBack(deps)));
    }
    this.ignored = new Promise(resolve => {
      this.signal.addEventListener('abort', () => {
        const grace = setTimeout(() => resolve(this.signal.reason), deps.settleMs);
        this.#cleanUp.push(() => clearTimeout(grace));
      });
    });
    if (deps.handBack.aborted) this.#stop('handed-back', handedBack(deps));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    for (const cleanUp of this.#cleanUp) cleanUp();
  }

  #stop(reason: StopReason, cause: Error): void {
    this.reason ??= reason;
    this.#controller.abort(cause);
  }

  #watch(signal: AbortSignal, stop: () => void): void {
    signal.addEventListener('abort', stop, { once: true });
    this.#cleanUp.push(() => signal.removeEventListener('abort', stop));
  }
}

async function defer(deps: TurnDeps, writing: RunJob, job: Job, token: string): Promise<never> {
  await job.moveToDelayed(Date.now() + DEFERRED_MS, token);
  // The one before may have ended between our look and our going to sleep: then nobody would wake us.
  if (await isTurn(deps, writing).catch(() => false)) await job.promote().catch(() => {});
  throw new DelayedError();
}

/** Puts the job back in front of the queue: another worker takes it at once, and the attempt does not count. */
async function returnToQueue(job: Job, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

/** The line repairs itself (see `firstInLine`), so a queue that is down here must not fail a job that is done. */
async function endTurn(deps: TurnDeps, turn: Turn | undefined, isOver: boolean): Promise<void> {
  await turn?.end(isOver).catch(deps.onError);
}

function isFinal(job: Job, error: unknown): boolean {
  return isLastAttempt(job) || retryOf(error) === 'never';
}

function isLastAttempt(job: Job): boolean {
  return job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
}

function timedOut(deps: RunJobDeps<QueueName>): QueueFault {
  const seconds = Math.round(deps.deadlineMs / 1000);
  return new QueueFault(
    'job-timed-out',
    `The ${deps.name} job did not end within ${seconds} s and was stopped.`,
  );
}

function handedBack(deps: RunJobDeps<QueueName>): QueueFault {
  const message = `The ${deps.name} job was handed back: this process ends, or seemed dead. It runs again elsewhere.`;
  return new QueueFault('job-handed-back', message, { retry: 'later' });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
