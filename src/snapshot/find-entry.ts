import { foldPath, parentOf, type RepoPath } from './repo-path.ts';
import type { Entry, Snapshot } from './snapshot.ts';

/** What stands at exactly this path, a folder included; undefined when nothing does. */
export async function findEntry(snapshot: Snapshot, path: RepoPath): Promise<Entry | undefined> {
  const siblings = await snapshot.children(parentOf(path));
  return siblings.find(entry => entry.path === path);
}

/**
 * What already occupies a path a new file is to get: a file, symlink, submodule or folder that is the same
 * path, or would be the same on a file system that ignores case or Unicode normalisation. Every folder on the
 * way is looked at too: the answer may be a folder under another case, or a file where a folder is needed.
 */
export async function findOccupant(snapshot: Snapshot, path: RepoPath): Promise<Entry | undefined> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const here = parts.slice(0, depth).join('/') as RepoPath;
    const siblings = await snapshot.children(parentOf(here));
    const clash = siblings.find(entry => entry.path !== here && foldPath(entry.path) === foldPath(here));
    const same = siblings.find(entry => entry.path === here);
    if (same && (depth === parts.length || same.mode !== '040000')) return same;
    if (clash) return clash;
    if (!same) return undefined;
  }
  return undefined;
}
