import { extractSection } from '../../src/procedures/extract-section/extract-section.ts';
import type { ChangeSet } from '../../src/snapshot/change-set.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { BIG_SKILL } from './make-forge.ts';

/** What is done to the head of the pull request. */
export type Edit = (snapshot: Snapshot) => Promise<ChangeSet>;

/** Extracts the long section of the big skill, as a maintainer's comment would. */
export const editBigSkill: Edit = async snapshot => {
  const outcome = await extractSection(snapshot, {
    target: BIG_SKILL,
    section: '## Long',
    reference: 'skills/big/references/long.md',
  });
  if (outcome.kind !== 'done') throw new Error(outcome.verdict.detail);
  return outcome.changes;
};
