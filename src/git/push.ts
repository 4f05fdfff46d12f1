import type { GitRepository } from './bare-repository.ts';
import { GitFault } from './git-fault.ts';
import { type CommitId, isObjectId } from './object-id.ts';
import { type PushedAs, type PushLine, readPushReport } from './read-push-report.ts';
import { readRemoteRefs } from './read-remote-refs.ts';
import { redactorFor } from './redact.ts';
import { parseRefName } from './ref-name.ts';
import type { Remote } from './remote.ts';
import { type GitResult, runGit, secretsOf } from './run-git.ts';
import { type Gone, goneOrFault } from './run-remote.ts';

/** One ref to move, from exactly where it was seen. */
export interface RefUpdate {
  /** Full name, `refs/heads/main`. */
  readonly ref: string;
  /** The commit it shall stand at; null removes it. */
  readonly to: CommitId | null;
  /** The lease: where it must stand for this push to happen; null: it must not exist. */
  readonly expected: CommitId | null;
}

export type PushOutcome =
  /** Every ref stands where it was to, and at least one of them was moved by this push. */
  | { readonly kind: 'pushed'; readonly refs: readonly { readonly ref: string; readonly as: PushedAs }[] }
  /** Every ref stood there already: this push moved nothing, somebody (or an earlier attempt) did. */
  | { readonly kind: 'unchanged' }
  /** These refs are not where they were expected. Nothing was moved. */
  | { readonly kind: 'stale'; readonly refs: readonly string[] }
  /** The remote said no: a protected branch, a ruleset, a hook. Nothing was moved. */
  | { readonly kind: 'refused'; readonly ref: string; readonly message: string }
  | Gone;

export interface PushOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Moves refs of a remote, all or none (`--atomic`), each under an explicit lease. Git calls a ref that stands at
 * `to` already up to date without looking at its lease: such a ref is told as `unchanged`, so give every
 * attempt a commit of its own where that matters.
 *
 * Faults: `git-bad-name`, `git-auth`, `git-network` (retry later). After a `git-network` or `git-timed-out`
 * fault nobody knows whether the push arrived: read the remote's refs before trying again.
 */
export async function pushRefs(
  repository: GitRepository,
  remote: Remote,
  updates: readonly RefUpdate[],
  options: PushOptions = {},
): Promise<PushOutcome> {
  if (updates.length === 0) return { kind: 'unchanged' };
  for (const update of updates) assertUpdate(update);
  const args = [
    ...PUSH,
    ...updates.map(({ ref, expected }) => `--force-with-lease=${ref}:${expected ?? ''}`),
    '--end-of-options',
    remote.url,
    ...updates.map(({ ref, to }) => `${to ?? ''}:${ref}`),
  ];
  const place = { directory: repository.gitDirectory, gitDirectory: repository.gitDirectory };
  const result = await runGit({ ...place, args, remote, exitCodes: [0, 1, 128], ...options });
  const redact = redactorFor(secretsOf(remote));
  const lines = readPushReport(redact(result.stdout.toString('utf8')));
  const rejected = lines.filter(line => line.kind === 'rejected');
  if (rejected.length > 0)
    return judge(rejected, result, () => findStale(repository, remote, updates, options));
  if (result.exitCode === 0) return accepted(lines, updates);
  const fault = new GitFault('git-failed', `git push failed: ${result.stderr.trim()}`, {
    exitCode: result.exitCode,
    args: args.map(redact),
    stderr: result.stderr,
  });
  return goneOrFault(fault, remote);
}

const PUSH = [
  'push',
  '--porcelain',
  '--atomic',
  '--no-verify',
  '--no-signed',
  '--recurse-submodules=no',
] as const;

type Rejected = Extract<PushLine, { kind: 'rejected' }>;

// Said of the refs that only fell with another one: they are not the reason.
const FELLOW = /^atomic (?:push failed|push failure|transaction failed|transaction aborted)$/;
// git's own check against what the remote had announced.
const MOVED = /^(?:stale info|fetch first|non-fast-forward|needs force|already exists)$/;
// The remote's words when a ref moved between its announcement and the push; other troubles sound alike.
const MAYBE_MOVED = /cannot lock ref|failed to update ref|incorrect old value|reference already exists/;

async function judge(
  rejected: readonly Rejected[],
  result: GitResult,
  findStaleRefs: () => Promise<readonly string[]>,
): Promise<PushOutcome> {
  const stale = rejected.filter(line => line.by === 'git' && MOVED.test(line.why)).map(line => line.ref);
  if (stale.length > 0) return { kind: 'stale', refs: stale };
  const cause = rejected.find(line => !FELLOW.test(line.why)) ?? rejected[0];
  if (cause === undefined) throw new GitFault('git-bad-output', 'git push reported nothing.');
  if (rejected.some(line => MAYBE_MOVED.test(line.why) || FELLOW.test(line.why))) {
    const refs = await findStaleRefs();
    if (refs.length > 0) return { kind: 'stale', refs };
  }
  return { kind: 'refused', ref: cause.ref, message: refusal(cause, result.stderr) };
}

/** Reads the remote once more: a ref that is not where it was expected is why the push fell. */
async function findStale(
  repository: GitRepository,
  remote: Remote,
  updates: readonly RefUpdate[],
  options: PushOptions,
): Promise<readonly string[]> {
  const names = updates.map(update => update.ref);
  const now = await readRemoteRefs(repository, remote, names, options);
  if (now.kind === 'gone') return [];
  const standing = new Map<string, string>(now.refs);
  return updates
    .filter(({ ref, expected }) => (standing.get(ref) ?? null) !== expected)
    .map(({ ref }) => ref);
}

/** The reason git gives for the ref, and the lines the remote wrote for people. */
function refusal(cause: Rejected, stderr: string): string {
  const words = stderr
    .split('\n')
    .filter(line => line.startsWith('remote:'))
    .map(line => line.slice('remote:'.length).trim())
    .filter(Boolean);
  return [cause.why, ...words].join('\n');
}

function accepted(lines: readonly PushLine[], updates: readonly RefUpdate[]): PushOutcome {
  const told = new Map(
    lines.flatMap(line => (line.kind === 'accepted' ? [[line.ref, line.as] as const] : [])),
  );
  const refs = updates.map(({ ref }) => {
    const as = told.get(ref);
    if (as !== undefined) return { ref, as };
    throw new GitFault(
      'git-bad-output',
      `git push succeeded but said nothing about ${ref}. Read the remote's refs.`,
    );
  });
  return refs.every(({ as }) => as === 'unchanged') ? { kind: 'unchanged' } : { kind: 'pushed', refs };
}

function assertUpdate({ ref, to, expected }: RefUpdate): void {
  const result = parseRefName(ref);
  if (result.kind === 'unsafe') {
    const message = `Cannot push to ${JSON.stringify(ref)}: ${result.why}. Give the full name of a ref.`;
    throw new GitFault('git-bad-name', message);
  }
  for (const id of [to, expected]) {
    if (id === null || isObjectId(id)) continue;
    const message = `Cannot push ${JSON.stringify(id)}: it is no whole commit id. Give all its digits.`;
    throw new GitFault('git-bad-name', message);
  }
}
