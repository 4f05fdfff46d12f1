import type { RepoPath } from './repo-path.ts';
import type { Entry } from './snapshot.ts';

/** What stands directly in `folder`, folders included, told from a full list of files. */
export function listChildren(entries: readonly Entry[], folder: RepoPath | ''): Entry[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const children = new Map<string, Entry>();
  for (const entry of entries) {
    if (!entry.path.startsWith(prefix)) continue;
    const rest = entry.path.slice(prefix.length);
    const slash = rest.indexOf('/');
    const path = (prefix + (slash < 0 ? rest : rest.slice(0, slash))) as RepoPath;
    if (!children.has(path)) children.set(path, slash < 0 ? entry : { path, mode: '040000' });
  }
  return [...children.values()];
}
