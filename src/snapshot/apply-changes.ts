import { computeBlobId } from './blob-id.ts';
import type { Change, ChangeSet } from './change-set.ts';
import { listChildren } from './list-children.ts';
import type { RepoPath } from './repo-path.ts';
import type { Entry, Snapshot } from './snapshot.ts';

type Put = Extract<Change, { kind: 'put' }>;

/**
 * The tree as it would be after the changes, over the tree as it is: nothing is written. The changes must have
 * passed `checkChanges` on this snapshot.
 */
export function applyChanges(snapshot: Snapshot, changes: ChangeSet): Snapshot {
  const puts = new Map(changes.filter(change => change.kind === 'put').map(put => [put.path, put]));
  const moves = new Map(changes.filter(change => change.kind === 'move').map(move => [move.to, move.from]));
  const gone = new Set(changes.flatMap(goneWith));

  const list = async () => mergeEntries(await snapshot.list(), puts, moves, gone);
  const read = async (path: RepoPath) => {
    const put = puts.get(path);
    if (put) return put.bytes;
    return gone.has(path) ? undefined : snapshot.read(moves.get(path) ?? path);
  };
  return {
    list,
    read,
    children: async folder => listChildren(await list(), folder),
    blobId: async path => {
      const put = puts.get(path);
      if (put) return computeBlobId(put.bytes);
      return gone.has(path) ? undefined : snapshot.blobId(moves.get(path) ?? path);
    },
  };
}

function mergeEntries(
  before: readonly Entry[],
  puts: ReadonlyMap<RepoPath, Put>,
  moves: ReadonlyMap<RepoPath, RepoPath>,
  gone: ReadonlySet<RepoPath>,
): Entry[] {
  const after = new Map(before.filter(({ path }) => !gone.has(path)).map(entry => [entry.path, entry]));
  const modes = new Map(before.map(({ path, mode }) => [path, mode]));
  for (const [path, { mode }] of puts) after.set(path, { path, mode });
  for (const [to, from] of moves) after.set(to, { path: to, mode: modes.get(from) ?? '100644' });
  return [...after.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function goneWith(change: Change): RepoPath[] {
  if (change.kind === 'delete') return [change.path];
  return change.kind === 'move' ? [change.from] : [];
}
