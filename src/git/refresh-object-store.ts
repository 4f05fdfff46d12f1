import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FETCH } from './fetch-arguments.ts';
import { GitFault } from './git-fault.ts';
import type { ObjectStore } from './object-store.ts';
import { parseRefName } from './ref-name.ts';
import type { Remote } from './remote.ts';
import { type Gone, runRemote } from './run-remote.ts';
import { type FileLockOptions, withFileLock } from './with-file-lock.ts';

export type RefreshOutcome = { readonly kind: 'refreshed' } | { readonly kind: 'busy' } | Gone;

export interface RefreshOptions {
  readonly lock?: FileLockOptions;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

// Git holds a ref's lock for moments and a temporary pack as long as a fetch may take.
const LEFT_LOCK_MS = 60_000;
const LEFT_PACK_MS = 3_600_000;

/**
 * Brings the store up to date: the named refs (`refs/heads/main`, or `refs/heads/*` for all of a kind) with
 * their whole history, pruning those that are gone there. One process at a time; `busy` when another was at it
 * for the whole wait. Private repositories may read meanwhile: objects are only ever added. Faults: those of
 * `runRemote`.
 */
export async function refreshObjectStore(
  store: ObjectStore,
  remote: Remote,
  refs: readonly string[],
  options: RefreshOptions = {},
): Promise<RefreshOutcome> {
  const refspecs = refs.map(refspecOf);
  const lockPath = join(store.gitDirectory, 'skillkeeper-refresh.lock');
  const outcome = await withFileLock(lockPath, options.lock ?? {}, async lost => {
    await removeLeftovers(store.gitDirectory);
    const signal = options.signal === undefined ? lost : AbortSignal.any([lost, options.signal]);
    const answer = await runRemote({
      directory: store.gitDirectory,
      gitDirectory: store.gitDirectory,
      args: [...FETCH, '--prune', '--end-of-options', remote.url, ...refspecs],
      remote,
      signal,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
    return answer.kind === 'gone' ? answer : ({ kind: 'refreshed' } as const);
  });
  return outcome.kind === 'busy' ? outcome : outcome.value;
}

function refspecOf(ref: string): string {
  const whole = ref.endsWith('/*') ? `${ref.slice(0, -1)}any` : ref;
  const result = parseRefName(whole);
  if (result.kind === 'ok') return `+${ref}:${ref}`;
  const message = `The store cannot follow ${JSON.stringify(ref)}: ${result.why}. Name whole refs, or refs/heads/*.`;
  throw new GitFault('git-bad-name', message);
}

/** A process that was killed leaves ref locks that git would stumble over for ever, and half a pack. */
async function removeLeftovers(gitDirectory: string): Promise<void> {
  const packs = join(gitDirectory, 'objects', 'pack');
  const refs = await readdir(join(gitDirectory, 'refs'), { recursive: true });
  const locks = refs.filter(name => name.endsWith('.lock')).map(name => join(gitDirectory, 'refs', name));
  const temporary = (await readdir(packs)).filter(name => name.startsWith('tmp_'));
  await removeOlder([...locks, join(gitDirectory, 'packed-refs.lock')], LEFT_LOCK_MS);
  await removeOlder(
    temporary.map(name => join(packs, name)),
    LEFT_PACK_MS,
  );
}

async function removeOlder(paths: readonly string[], ageMs: number): Promise<void> {
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ageMs) await rm(path, { force: true });
  }
}
