import { computeBlobId } from '../snapshot/blob-id.ts';
import type { Change } from '../snapshot/change-set.ts';
import type { GitRepository } from './bare-repository.ts';
import { GitFault } from './git-fault.ts';
import type { NewCommit } from './new-commit.ts';
import type { CommitId, ObjectFormat } from './object-id.ts';
import { type DiffEntry, readRawDiff } from './read-raw-diff.ts';
import { runGit } from './run-git.ts';

/**
 * Asks git what the written commits are, and compares: the parent, and the difference to it, which must be the
 * changes and nothing besides. Throws `git-commit-differs` with the first path (or commit) that is otherwise.
 */
export async function assertCommits(
  repository: GitRepository,
  commits: readonly NewCommit[],
  ids: readonly CommitId[],
): Promise<void> {
  const place = { directory: repository.gitDirectory, gitDirectory: repository.gitDirectory };
  const [family, ...diffs] = await Promise.all([
    runGit({ ...place, args: ['rev-list', '--no-walk=unsorted', '--parents', '--end-of-options', ...ids] }),
    ...ids.map((id, index) => runGit({ ...place, args: diffArguments(id, commits[index]?.parent ?? null) })),
  ]);
  const lines = new Set(family.stdout.toString('latin1').trimEnd().split('\n'));
  commits.forEach((commit, index) => {
    const id = ids[index] as CommitId;
    if (!lines.has(commit.parent === null ? id : `${id} ${commit.parent}`)) {
      throw differs(`commit ${id} does not have the parent ${commit.parent ?? 'none'}`);
    }
    const diff = readRawDiff(diffs[index]?.stdout ?? Buffer.alloc(0));
    assertDiff(diff, commit.changes, repository.objectFormat);
  });
}

function diffArguments(id: CommitId, parent: CommitId | null): string[] {
  const diff = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-commit-id', '--no-ext-diff'];
  return parent === null ? [...diff, '--root', id] : [...diff, parent, id];
}

interface Effect {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly mode?: string;
}

function assertDiff(
  diff: ReadonlyMap<string, DiffEntry>,
  changes: readonly Change[],
  format: ObjectFormat,
): void {
  const effects = changes.flatMap(change => effectsOf(change, format));
  for (const { path, before, after, mode } of effects) {
    const found = diff.get(path);
    if (found === undefined) {
      if (before !== after) throw differs(`${path} was not changed`);
      continue;
    }
    if (found.before !== before) throw differs(`${path} did not hold what the changes were planned on`);
    if (found.after !== after) throw differs(`${path} does not hold the bytes it was given`);
    if (mode !== undefined && found.mode !== mode) throw differs(`${path} has the mode ${found.mode}`);
  }
  const planned = new Set(effects.map(effect => effect.path));
  for (const path of diff.keys()) if (!planned.has(path)) throw differs(`${path} was changed too`);
}

function effectsOf(change: Change, format: ObjectFormat): Effect[] {
  switch (change.kind) {
    case 'put': {
      const after = computeBlobId(change.bytes, format);
      return [{ path: change.path, before: change.expected, after, mode: change.mode }];
    }
    case 'delete':
      return [{ path: change.path, before: change.expected, after: null }];
    case 'move':
      return [
        { path: change.from, before: change.expected, after: null },
        { path: change.to, before: null, after: change.expected },
      ];
  }
}

function differs(what: string): GitFault {
  const message = `A written commit is not what was planned: ${what}. Nothing was pushed; plan again on the present head.`;
  return new GitFault('git-commit-differs', message);
}
