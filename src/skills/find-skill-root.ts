import { baseNameOf, parentOf, type RepoPath } from '../snapshot/repo-path.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export interface SkillRoot {
  /** The folder; `''` is the root of the repository. */
  readonly folder: RepoPath | '';
  /** False when no folder around the file holds a SKILL.md: the root is then the file's own folder. */
  readonly isSkill: boolean;
}

/**
 * The root a Markdown file belongs to: the nearest folder around it that holds a regular SKILL.md, else the
 * folder it stands in.
 */
export async function findSkillRoot(snapshot: Snapshot, file: RepoPath): Promise<SkillRoot> {
  let folder = parentOf(file);
  for (;;) {
    const children = await snapshot.children(folder);
    if (children.some(({ path, mode }) => baseNameOf(path) === 'SKILL.md' && mode.startsWith('100'))) {
      return { folder, isSkill: true };
    }
    if (folder === '') return { folder: parentOf(file), isSkill: false };
    folder = parentOf(folder);
  }
}
