import { randomBytes } from 'node:crypto';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeSet } from '../snapshot/change-set.ts';
import type { RepoPath } from '../snapshot/repo-path.ts';
import { GitFault } from './git-fault.ts';
import { type CommitId, commitId } from './object-id.ts';
import { runGit } from './run-git.ts';
import { type WriteOutcome, writeWorkingDirectory } from './write-working-directory.ts';

export interface CheckoutPlace {
  readonly root: string;
  readonly gitDirectory: string;
}

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly commit: CommitId }
  /** The commit could not hold this change and nothing else; nothing was written. */
  | { readonly kind: 'not-clean'; readonly why: string }
  | Exclude<WriteOutcome, { kind: 'written' }>;

/**
 * Writes a change set into a checkout and commits exactly it on HEAD, with the user's identity and line-end
 * rules: other uncommitted work stays uncommitted, no hook runs, HEAD moves only if nobody moved it meanwhile.
 * Only puts are committed. The commit is not signed. Rejects with a `GitFault` when git refuses, for instance
 * without a user name; the files are then as they were.
 */
export async function commitWorkingDirectory(
  place: CheckoutPlace,
  changes: ChangeSet,
  message: string,
): Promise<CommitOutcome> {
  const paths = changes.map(change => (change.kind === 'move' ? change.to : change.path));
  const unclean = await whyNotClean(place, paths);
  if (unclean) return { kind: 'not-clean', why: unclean };
  const head = commitId((await git(place, ['rev-parse', 'HEAD'])).trim());
  const rows = await storeBlobs(place, changes);
  const commit = await writeCommit(place, head, rows, message);
  const written = await writeWorkingDirectory(place.root, changes);
  if (written.kind !== 'written') return written;
  try {
    await git(place, ['update-ref', '-m', `skillkeeper: ${message.split('\n')[0]}`, 'HEAD', commit, head]);
  } catch (error) {
    await written.undo();
    throw error;
  }
  await git(place, ['update-index', '-z', '--index-info'], rows);
  await git(place, ['update-index', '-q', '--refresh'], undefined, [0, 1]); // 1: other files differ, which is theirs to do
  return { kind: 'committed', commit };
}

const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

async function whyNotClean(place: CheckoutPlace, paths: readonly RepoPath[]): Promise<string | undefined> {
  const head = await runGit({
    directory: place.root,
    args: ['rev-parse', '-q', '--verify', 'HEAD'],
    profile: 'checkout',
    exitCodes: [0, 1],
  });
  if (head.exitCode !== 0)
    return 'the repository has no commit yet. Commit the files first, or run without `--commit`';
  for (const name of UNFINISHED) {
    if (await exists(join(place.gitDirectory, name)))
      return `an unfinished merge, rebase or the like is in progress (\`${name}\`). Finish it first`;
  }
  if (await exists(join(place.gitDirectory, 'index.lock')))
    return 'another git command holds the index (`index.lock`). Wait for it and try again';
  const status = await git(place, ['status', '--porcelain', '-z', '--untracked-files=all', '--', ...paths]);
  const dirty = status
    .split('\0')
    .filter(Boolean)
    .map(row => `\`${row.slice(3)}\``);
  return dirty.length > 0
    ? `${dirty.join(', ')} has uncommitted changes. Commit or stash them first, or run without \`--commit\``
    : undefined;
}

// `--path` applies the line-end rules the repository has for that path, as `git add` would.
async function storeBlobs(place: CheckoutPlace, changes: ChangeSet): Promise<string> {
  let rows = '';
  for (const change of changes) {
    if (change.kind !== 'put')
      throw new GitFault(
        'git-bad-name',
        `only files that are written can be committed, not a ${change.kind}`,
      );
    const blob = (
      await git(place, ['hash-object', '-w', '--stdin', '--path', change.path], change.bytes)
    ).trim();
    rows += `${change.mode} ${blob}\t${change.path}\0`;
  }
  return rows;
}

async function writeCommit(
  place: CheckoutPlace,
  head: CommitId,
  rows: string,
  message: string,
): Promise<CommitId> {
  const index = join(place.gitDirectory, `skillkeeper-index-${randomBytes(8).toString('hex')}`);
  const env = { GIT_INDEX_FILE: index };
  const run = async (args: string[], input = '') => {
    const { stdout } = await runGit({ directory: place.root, args, input, env, profile: 'checkout' });
    return stdout.toString('utf8').trim();
  };
  try {
    await run(['read-tree', head]);
    await run(['update-index', '-z', '--index-info'], rows);
    const tree = await run(['write-tree']);
    return commitId(await run(['commit-tree', tree, '-p', head, '-F', '-'], message));
  } finally {
    await rm(index, { force: true });
  }
}

async function git(
  place: CheckoutPlace,
  args: string[],
  input: string | Uint8Array = '',
  exitCodes = [0],
): Promise<string> {
  const { stdout } = await runGit({ directory: place.root, args, input, exitCodes, profile: 'checkout' });
  return stdout.toString('utf8');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
