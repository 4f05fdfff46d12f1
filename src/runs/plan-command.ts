import { codeSpan } from '../markdown/code-span.ts';
import { composeCommitMessage } from '../procedures/extract-section/compose-commit-message.ts';
import { type ExtractOutcome, extractSection } from '../procedures/extract-section/extract-section.ts';
import { renderProse } from '../procedures/extract-section/render-answer.ts';
import type { ExtractRequest } from '../procedures/extract-section/request.ts';
import type { ChangeSet } from '../snapshot/change-set.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** What a writing command wants done to a snapshot, and how it tells people. */
export type Plan =
  | {
      readonly kind: 'changes';
      readonly changes: ChangeSet;
      readonly message: string;
      /** Title of a pull request that would hold this change. */
      readonly title: string;
      readonly summary: string;
      readonly prose: string;
      readonly verdict: object;
    }
  | { readonly kind: 'refused'; readonly summary: string; readonly prose: string; readonly verdict: object };

export type PlanCommand = (
  snapshot: Snapshot,
  values: Readonly<Record<string, readonly string[]>>,
) => Promise<Plan>;

/** The procedure behind each writing command of the registry. */
export const PLANNERS: Readonly<Record<string, PlanCommand>> = {
  'extract-section': planExtractSection,
};

async function planExtractSection(
  snapshot: Snapshot,
  values: Readonly<Record<string, readonly string[]>>,
): Promise<Plan> {
  return tellExtraction(await extractSection(snapshot, toRequest(values)));
}

function toRequest(values: Readonly<Record<string, readonly string[]>>): ExtractRequest {
  const one = (key: string): string | undefined => values[key]?.[0];
  return {
    target: one('target') ?? '',
    section: one('section') ?? '',
    reference: one('reference') ?? '',
    startAfter: one('startAfter'),
    endBefore: one('endBefore'),
    inlineKeep: values.inlineKeep,
    bundleCopyDir: one('bundleCopyDir'),
    purpose: one('purpose'),
  };
}

function tellExtraction(outcome: ExtractOutcome): Plan {
  const { verdict } = outcome;
  const told = { prose: renderProse(verdict), verdict };
  if (outcome.kind !== 'done') {
    return { kind: 'refused', summary: summariseRefusal(verdict), ...told };
  }
  const message = composeCommitMessage(verdict);
  return {
    kind: 'changes',
    changes: outcome.changes,
    message,
    title: message.split('\n')[0] ?? '',
    summary: `moved ${codeSpan(verdict.section)} (${verdict.extracted_chars} characters) to ${codeSpan(verdict.reference_file)}`,
    ...told,
  };
}

const LONGEST_SUMMARY = 400;

// A row of the table holds a sentence; the whole story is in the answer.
function summariseRefusal({ reason = 'failed', detail = '' }: ExtractOutcome['verdict']): string {
  const whole = `${codeSpan(reason)}: ${detail}`;
  return whole.length <= LONGEST_SUMMARY ? whole : codeSpan(reason);
}
