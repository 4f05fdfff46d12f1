import { findEntry } from '../snapshot/find-entry.ts';
import { baseNameOf, parseRepoPath, type RepoPath, repoPath } from '../snapshot/repo-path.ts';
import { resolvePath } from '../snapshot/resolve-path.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Marketplace, Plugin } from './read-marketplace.ts';

/** A skill that a plugin serves from a copy of its own: `copy` must stay equal to `canonical`. */
export interface BundleMember {
  readonly bundle: string;
  readonly skill: string;
  readonly canonical: RepoPath;
  readonly copy: RepoPath;
}

/**
 * Every member of every bundle in which canonical folder and copy are two folders. A copy that is a symlink to
 * the canonical folder, or is that folder, can not drift and is left out.
 */
export async function findBundleMembers(
  snapshot: Snapshot,
  marketplace: Marketplace,
): Promise<BundleMember[]> {
  if (marketplace.kind !== 'found') return [];
  const members: BundleMember[] = [];
  for (const plugin of marketplace.plugins) {
    const copies = await findCopies(snapshot, plugin);
    for (const copy of copies) {
      const skill = baseNameOf(copy);
      const canonical = await findCanonical(snapshot, marketplace.plugins, plugin, skill);
      if (canonical && (await isSeparateFolder(snapshot, copy, canonical))) {
        members.push({ bundle: plugin.name, skill, canonical, copy });
      }
    }
  }
  return members;
}

async function findCopies(snapshot: Snapshot, plugin: Plugin): Promise<RepoPath[]> {
  const source = plugin.source === undefined ? undefined : parseFolder(plugin.source);
  if (source === undefined) return [];
  if (plugin.skills)
    return plugin.skills.map(entry => parseFolder(join(source, entry))).filter(isBelow(source));
  const folder = parseFolder(join(source, 'skills'));
  if (folder === undefined || folder === '') return [];
  const children = await snapshot.children(folder);
  return children.filter(({ mode }) => mode === '040000' || mode === '120000').map(({ path }) => path);
}

async function findCanonical(
  snapshot: Snapshot,
  plugins: readonly Plugin[],
  bundle: Plugin,
  skill: string,
): Promise<RepoPath | undefined> {
  const candidates = [parseFolder(`skills/${skill}`), parseFolder(`skills/${skill}/skills/${skill}`)];
  for (const { source, skills, name } of plugins) {
    const folder = source === undefined ? undefined : parseFolder(source);
    const isDirect = name !== bundle.name && skills?.length === 1 && parseFolder(skills[0] ?? '') === '';
    if (isDirect && folder && baseNameOf(folder) === skill) candidates.push(folder);
  }
  for (const candidate of candidates) {
    if (!candidate) continue;
    const entry = await findEntry(snapshot, repoPath(`${candidate}/SKILL.md`));
    if (entry?.mode.startsWith('100')) return candidate;
  }
  return undefined;
}

async function isSeparateFolder(snapshot: Snapshot, copy: RepoPath, canonical: RepoPath): Promise<boolean> {
  const resolved = await resolvePath(snapshot, copy);
  return resolved.kind === 'found' && resolved.entry.path === copy && copy !== canonical;
}

function join(source: string, entry: string): string {
  return `${source === '' ? '.' : source}/${entry}`;
}

function isBelow(source: RepoPath | '') {
  return (folder: RepoPath | '' | undefined): folder is RepoPath => !!folder && folder !== source;
}

// `./` is the root of the repository; what climbs out of it is no folder of ours.
function parseFolder(text: string): RepoPath | '' | undefined {
  if (/^(\.?\/)*\.?$/u.test(text)) return '';
  const parsed = parseRepoPath(text);
  return parsed.kind === 'ok' ? parsed.path : undefined;
}
