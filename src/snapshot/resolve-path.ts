import { findEntry } from './find-entry.ts';
import { parseRepoPath, type RepoPath } from './repo-path.ts';
import type { Entry, Snapshot } from './snapshot.ts';

export type ResolvedPath =
  | { readonly kind: 'found'; readonly entry: Entry; readonly throughSymlink: boolean }
  | { readonly kind: 'absent' }
  /** A symlink on the way points out of the tree, in a circle, or the path enters a submodule. */
  | { readonly kind: 'unsafe'; readonly why: string };

// What Linux allows before it gives up with ELOOP.
const MAX_LINKS = 40;

/**
 * Follows a path through the symlinks of the tree itself, never through the file system, to the file or folder
 * it stands for. Upstream repositories link `.claude/skills/<name>` to `skills/<name>`.
 */
export async function resolvePath(snapshot: Snapshot, path: RepoPath): Promise<ResolvedPath> {
  let rest = path.split('/');
  let at: string[] = [];
  let entry: Entry | undefined;
  for (let links = 0; rest.length > 0; ) {
    const [part, ...after] = rest as [string, ...string[]];
    const here = [...at, part].join('/') as RepoPath;
    entry = await findEntry(snapshot, here);
    if (!entry) return { kind: 'absent' };
    if (entry.mode === '160000') return { kind: 'unsafe', why: `\`${here}\` is a submodule` };
    if (entry.mode !== '120000') {
      at = [...at, part];
      rest = after;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return { kind: 'unsafe', why: `\`${path}\` runs through a circle of symlinks` };
    const target = followLink(at, await readLink(snapshot, here));
    if (!target) return { kind: 'unsafe', why: `the symlink \`${here}\` points out of the repository` };
    at = [];
    rest = [...target, ...after];
    if (rest.length === 0)
      return { kind: 'unsafe', why: `the symlink \`${here}\` points to the repository itself` };
  }
  return entry ? { kind: 'found', entry, throughSymlink: entry.path !== path } : { kind: 'absent' };
}

async function readLink(snapshot: Snapshot, path: RepoPath): Promise<string> {
  return Buffer.from((await snapshot.read(path)) ?? []).toString('utf8');
}

// The parts of the path a link stands for, or undefined when it leaves the tree or reaches into `.git`.
function followLink(folder: readonly string[], link: string): string[] | undefined {
  if (link.startsWith('/')) return undefined;
  const parts = [...folder];
  for (const part of link.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 || parseRepoPath(parts.join('/')).kind === 'ok' ? parts : undefined;
}
