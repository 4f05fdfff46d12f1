import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FileLockOptions {
  /** How long to wait for whoever holds it, in milliseconds. */
  readonly waitMs?: number;
  /** How often the holder shows that it is alive, in milliseconds. */
  readonly heartbeatMs?: number;
  /** How long a lock may show no sign of life, as the waiting one sees it, before it counts as left behind. */
  readonly staleMs?: number;
}

export type Locked<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'busy' };

/**
 * Runs `work` while holding the lock file `path` against other processes and other callers of this one; `busy`
 * when somebody held it during the whole wait. `work` gets a signal that fires when the lock was lost, which
 * takes a holder that stood still for `staleMs`.
 *
 * A holder that crashed cannot keep the lock: it stops touching the file, and whoever watched it stand still
 * for `staleMs` of their own clock takes it away. No process id and no wall clock are trusted.
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<Locked<T>> {
  const nonce = randomUUID();
  if (!(await acquire(path, nonce, options))) return { kind: 'busy' };
  const lost = new AbortController();
  const stop = keepAlive(path, nonce, options.heartbeatMs ?? 3000, lost);
  try {
    return { kind: 'done', value: await work(lost.signal) };
  } finally {
    await stop();
    if ((await read(path)) === nonce) await rm(path, { force: true });
  }
}

async function acquire(path: string, nonce: string, options: FileLockOptions): Promise<boolean> {
  const staleMs = options.staleMs ?? 30_000;
  const deadline = performance.now() + (options.waitMs ?? 60_000);
  let seen = { life: '', since: performance.now() };
  for (;;) {
    if (await create(path, nonce)) return true;
    const now = performance.now();
    const holder = await signOfLife(path); // none: it was released between the two looks
    if (holder?.life !== seen.life) seen = { life: holder?.life ?? '', since: now };
    if (holder !== undefined && now - seen.since >= staleMs) await takeAway(path, holder.nonce);
    else if (now >= deadline) return false;
    else await sleep(Math.min(100, staleMs / 10));
  }
}

/** Appears with its content or not at all: a hard link fails when the name is taken. */
async function create(path: string, nonce: string): Promise<boolean> {
  const aside = `${path}.${nonce}`;
  await writeFile(aside, nonce);
  try {
    await link(aside, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Moves a lock that stands still out of the way. Two may try at once, and the second may catch the lock the
 * first has just made: it sees the wrong nonce then and puts the lock back. Should a third come in between, the
 * robbed holder's next heartbeat tells it so; git's own ref locks keep the store whole for that moment.
 */
async function takeAway(path: string, staleNonce: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return; // somebody else was faster
  }
  if ((await read(aside)) !== staleNonce) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function keepAlive(path: string, nonce: string, everyMs: number, lost: AbortController): () => Promise<void> {
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = beating.then(async () => {
      if ((await read(path)) !== nonce) return lost.abort();
      const now = new Date();
      await utimes(path, now, now).catch(() => lost.abort());
    });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await beating;
  };
}

async function signOfLife(path: string): Promise<{ nonce: string; life: string } | undefined> {
  const nonce = await read(path);
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return nonce === undefined || found === undefined
    ? undefined
    : { nonce, life: `${nonce} ${found.mtimeNs}` };
}

function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
