import type { Change, ChangeSet } from './change-set.ts';
import { findEntry, findOccupant } from './find-entry.ts';
import { foldPath, isWorkflowPath, parentOf, parseRepoPath, type RepoPath } from './repo-path.ts';
import type { BlobId, Snapshot } from './snapshot.ts';

export type CheckedChanges =
  | { readonly kind: 'ok' }
  /** Must never be applied to this tree. */
  | { readonly kind: 'unsafe'; readonly path: string; readonly why: string }
  /** The tree is not the one the changes were planned on. */
  | { readonly kind: 'stale'; readonly path: string; readonly why: string };

/**
 * Decides whether a change set may be applied to a tree: no path that leaves it, reaches `.git` or
 * `.github/workflows`, goes through a symlink or a submodule, or differs from another only in case; nothing
 * moved under the plan since it was made. The last gate before bytes move, whoever made the change set.
 */
export async function checkChanges(snapshot: Snapshot, changes: ChangeSet): Promise<CheckedChanges> {
  const twice = findRepeated(changes);
  if (twice)
    return { kind: 'unsafe', path: twice, why: 'two changes touch it, or a path that differs only in case' };
  for (const change of changes) {
    const result = await checkChange(snapshot, change);
    if (result.kind !== 'ok') return result;
  }
  return { kind: 'ok' };
}

async function checkChange(snapshot: Snapshot, change: Change): Promise<CheckedChanges> {
  for (const path of pathsOf(change)) {
    const why = whyUnsafe(path) ?? (await whyUnreachable(snapshot, path));
    if (why) return { kind: 'unsafe', path, why };
  }
  if (change.kind === 'put') return checkPlace(snapshot, change.path, change.expected);
  if (change.kind === 'delete') return checkPlace(snapshot, change.path, change.expected);
  const source = await checkPlace(snapshot, change.from, change.expected);
  return source.kind === 'ok' ? checkPlace(snapshot, change.to, null) : source;
}

async function checkPlace(
  snapshot: Snapshot,
  path: RepoPath,
  expected: BlobId | null,
): Promise<CheckedChanges> {
  if (expected === null) {
    const occupant = await findOccupant(snapshot, path);
    return occupant
      ? { kind: 'stale', path, why: `\`${occupant.path}\` stands there already` }
      : { kind: 'ok' };
  }
  const entry = await findEntry(snapshot, path);
  if (!entry) return { kind: 'stale', path, why: 'it is gone' };
  if (entry.mode !== '100644' && entry.mode !== '100755')
    return { kind: 'unsafe', path, why: 'it is no regular file' };
  const now = await snapshot.blobId(path);
  return now === expected ? { kind: 'ok' } : { kind: 'stale', path, why: 'its content changed meanwhile' };
}

function whyUnsafe(path: RepoPath): string | undefined {
  const parsed = parseRepoPath(path);
  if (parsed.kind === 'unsafe') return parsed.why;
  if (parsed.path !== path) return 'it is not written in its shortest form';
  return isWorkflowPath(path) ? 'workflow files are never written' : undefined;
}

async function whyUnreachable(snapshot: Snapshot, path: RepoPath): Promise<string | undefined> {
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
    const entry = await findEntry(snapshot, folder);
    if (entry && entry.mode !== '040000') return `\`${folder}\` on the way is ${describe(entry.mode)}`;
  }
  return undefined;
}

function describe(mode: string): string {
  if (mode === '120000') return 'a symlink';
  return mode === '160000' ? 'a submodule' : 'a file';
}

function findRepeated(changes: ChangeSet): RepoPath | undefined {
  const seen = new Set<string>();
  for (const path of changes.flatMap(pathsOf)) {
    const key = foldPath(path);
    if (seen.has(key)) return path;
    seen.add(key);
  }
  return undefined;
}

function pathsOf(change: Change): RepoPath[] {
  return change.kind === 'move' ? [change.from, change.to] : [change.path];
}
