import { codeSpan } from '../../markdown/code-span.ts';
import { findSkillRoot } from '../../skills/find-skill-root.ts';
import { findOccupant } from '../../snapshot/find-entry.ts';
import { isWithin, isWorkflowPath, parseRepoPath, type RepoPath } from '../../snapshot/repo-path.ts';
import { resolvePath } from '../../snapshot/resolve-path.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Target } from './locate-target.ts';
import { ok, refuse, type Step } from './refusal.ts';
import { isProvided } from './request.ts';

/**
 * Decides where the moved text may go: a new `.md` file inside the target's skill root, reached without
 * symlinks, at a place nothing occupies under any case. Source: seed `extract-section`, Pre-flight step 4.
 */
export async function checkReference(
  snapshot: Snapshot,
  target: Target,
  given: string,
): Promise<Step<RepoPath>> {
  const parsed = parseRepoPath(given);
  if (parsed.kind === 'unsafe')
    return refuse('reference path outside skill root', `${codeSpan(given)}: ${parsed.why}.`);
  const { path } = parsed;
  const { folder } = await findSkillRoot(snapshot, target.path);
  const prefix = folder === '' ? '' : `${folder}/`;
  if (!isWithin(folder, path)) {
    return refuse(
      'reference path outside skill root',
      `${codeSpan(given)} does not stand under ${codeSpan(prefix)}, the root of the target. Try ${codeSpan(suggestPath(prefix, path))}.`,
    );
  }
  if (isWorkflowPath(path))
    return refuse('path not allowed', `${codeSpan(given)}: workflow files are never written.`);
  if (!/\.md$/iu.test(path)) {
    return refuse('reference file not markdown', `${codeSpan(given)} does not end in \`.md\`.`);
  }
  return refuseOccupied(snapshot, path);
}

async function refuseOccupied(snapshot: Snapshot, path: RepoPath): Promise<Step<RepoPath>> {
  const occupant = await findOccupant(snapshot, path);
  if (!occupant) return ok(path);
  const isOnTheWay = path.startsWith(`${occupant.path}/`);
  if (isOnTheWay && occupant.mode === '120000') {
    const link = await resolvePath(snapshot, occupant.path);
    const leads =
      link.kind === 'found'
        ? `leads to ${codeSpan(link.entry.path)}; name the file there`
        : 'leads nowhere safe';
    return refuse(
      'reference path outside skill root',
      `${codeSpan(occupant.path)} on the way is a symlink that ${leads}.`,
    );
  }
  if (isOnTheWay) {
    return refuse(
      'reference path outside skill root',
      `${codeSpan(occupant.path)} on the way is a file, no folder.`,
    );
  }
  const isSame = occupant.path === path;
  return refuse(
    'reference file already exists',
    isSame
      ? `${codeSpan(path)} exists and is never overwritten. Choose another name.`
      : `${codeSpan(occupant.path)} exists: on many systems that is the same as ${codeSpan(path)}. Use its spelling or choose another name.`,
  );
}

function suggestPath(prefix: string, path: RepoPath): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path.startsWith('references/') ? prefix + path : `${prefix}references/${name}`;
}

/** Checks an explicit copy destination: `none`, or a folder inside the repository. */
export async function checkBundleCopyDir(
  snapshot: Snapshot,
  given: string | undefined,
): Promise<Step<readonly string[]>> {
  if (!isProvided(given) || given.trim() === 'none') return ok([]);
  const parsed = parseRepoPath(given);
  if (parsed.kind === 'unsafe')
    return refuse('bundle copy dir outside repository', `${codeSpan(given)}: ${parsed.why}.`);
  const resolved = await resolvePath(snapshot, parsed.path);
  if (resolved.kind === 'unsafe') {
    return refuse('bundle copy dir outside repository', `${codeSpan(given)}: ${resolved.why}.`);
  }
  return ok(['nothing was copied: this version does not sync bundles yet. Copy the edited files yourself.']);
}
