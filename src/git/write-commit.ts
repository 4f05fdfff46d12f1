import { parseRepoPath } from '../snapshot/repo-path.ts';
import type { EntryMode } from '../snapshot/snapshot.ts';
import type { GitRepository } from './bare-repository.ts';
import { assertCommits } from './check-commit.ts';
import { fastImportStream } from './fast-import-stream.ts';
import { GitFault } from './git-fault.ts';
import type { NewCommit } from './new-commit.ts';
import { type CommitId, isObjectId, parseCommitId } from './object-id.ts';
import { runGit } from './run-git.ts';

/**
 * Writes commits, all or none, and gives their ids in the same order: no working copy, no index, one
 * `fast-import`. Then git itself is asked whether each commit has exactly the parent it was given and differs
 * from it in exactly the changes, blob by blob; anything else is the fault `git-commit-differs`, as is a
 * `expected` that did not stand in the parent. `git-bad-name` for a path, person or message git cannot hold.
 */
export async function writeCommits(
  repository: GitRepository,
  commits: readonly NewCommit[],
): Promise<readonly CommitId[]> {
  const { ids, verified } = await beginCommits(repository, commits);
  await verified;
  return ids;
}

/** Commits that are written; what git says of them is still to come, and must be waited for before any is pushed. */
export interface BegunCommits {
  readonly ids: readonly CommitId[];
  readonly verified: Promise<void>;
}

/** `writeCommits` for whoever has something to do with the ids while they are verified. */
export async function beginCommits(
  repository: GitRepository,
  commits: readonly NewCommit[],
): Promise<BegunCommits> {
  for (const commit of commits) assertWritable(commit);
  const modes = await Promise.all(commits.map(commit => movedModes(repository, commit)));
  const place = { directory: repository.gitDirectory, gitDirectory: repository.gitDirectory };
  const { stdout } = await runGit({
    ...place,
    args: ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'],
    input: fastImportStream(commits, modes),
  });
  const ids = readIds(stdout.toString('latin1'), commits.length);
  const verified = assertCommits(repository, commits, ids);
  verified.catch(() => undefined); // looked at when it is waited for; until then nobody else would
  return { ids, verified };
}

function assertWritable(commit: NewCommit): void {
  if (commit.parent !== null && !isObjectId(commit.parent)) {
    throw new GitFault(
      'git-bad-name',
      `A commit was not written: ${JSON.stringify(commit.parent)} is no commit.`,
    );
  }
  for (const change of commit.changes) {
    const path = change.kind === 'move' ? change.to : change.path;
    const parsed = parseRepoPath(path);
    const why =
      parsed.kind === 'unsafe'
        ? parsed.why
        : parsed.path === path
          ? undefined
          : 'it is not in its shortest form';
    if (why !== undefined) {
      throw new GitFault(
        'git-bad-name',
        `A commit was not written: the path ${JSON.stringify(path)} is unsafe: ${why}.`,
      );
    }
  }
}

/** A move keeps the mode, which the change set does not carry: the parent tells. */
async function movedModes(repository: GitRepository, commit: NewCommit): Promise<Map<string, EntryMode>> {
  const from = commit.changes.flatMap(change => (change.kind === 'move' ? [change.from] : []));
  if (from.length === 0 || commit.parent === null) return new Map();
  const { stdout } = await runGit({
    directory: repository.gitDirectory,
    gitDirectory: repository.gitDirectory,
    args: ['ls-tree', '-z', '--full-tree', commit.parent, '--', ...from],
  });
  const lines = stdout.toString('utf8').split('\0');
  return new Map(lines.filter(Boolean).map(line => [line.slice(line.indexOf('\t') + 1), modeIn(line)]));
}

function modeIn(line: string): EntryMode {
  const mode = line.slice(0, 6);
  if (mode === '100644' || mode === '100755') return mode;
  throw new GitFault('git-bad-name', `A commit was not written: only regular files are moved, not: ${line}.`);
}

function readIds(text: string, count: number): CommitId[] {
  const ids = text
    .trimEnd()
    .split('\n')
    .flatMap(line => parseCommitId(line) ?? []);
  if (ids.length === count) return ids;
  throw new GitFault('git-bad-output', `git fast-import named ${ids.length} commits instead of ${count}.`);
}
