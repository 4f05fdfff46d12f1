import { extractSection } from '../../../src/procedures/extract-section/extract-section.ts';
import type { ExtractRequest } from '../../../src/procedures/extract-section/request.ts';
import type { Verdict } from '../../../src/procedures/extract-section/verdict.ts';
import { applyChanges } from '../../../src/snapshot/apply-changes.ts';
import type { RepoPath } from '../../../src/snapshot/repo-path.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { type FileOf, makeSnapshot } from '../../snapshot/make-snapshot.ts';

export interface Extracted {
  readonly kind: 'done' | 'refused' | 'failed';
  readonly verdict: Verdict;
  /** Text of a file after the run; undefined when there is none. */
  readonly text: (path: string) => Promise<string | undefined>;
}

export const TARGET = 'skills/x/SKILL.md';
export const REFERENCE = 'skills/x/references/moved.md';

/** Joins lines, each with LF. */
export const lines = (...texts: string[]): string => texts.map(text => `${text}\n`).join('');

/** Runs extract-section over files in memory: one skill whose SKILL.md is `target`, and whatever else is given. */
export async function runExtract(
  target: FileOf,
  request: Partial<ExtractRequest> = {},
  others: Readonly<Record<string, FileOf>> = {},
): Promise<Extracted> {
  return runOver(makeSnapshot({ [TARGET]: target, ...others }), request);
}

async function runOver(snapshot: Snapshot, request: Partial<ExtractRequest>): Promise<Extracted> {
  const outcome = await extractSection(snapshot, {
    target: TARGET,
    section: '## Move',
    reference: REFERENCE,
    ...request,
  });
  const after = outcome.kind === 'done' ? applyChanges(snapshot, outcome.changes) : snapshot;
  return {
    kind: outcome.kind,
    verdict: outcome.verdict,
    text: async path => {
      const bytes = await after.read(path as RepoPath);
      return bytes && Buffer.from(bytes).toString();
    },
  };
}
