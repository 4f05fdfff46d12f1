import { codeSpan } from '../../markdown/code-span.ts';
import { countCodePoints, decodeUtf8 } from '../../markdown/decode-text.ts';
import { sliceLines } from '../../markdown/line-index.ts';
import type { ChangeSet } from '../../snapshot/change-set.ts';
import { checkChanges } from '../../snapshot/check-changes.ts';
import type { RepoPath } from '../../snapshot/repo-path.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { checkBoundaries, findLeavingHeadings } from './check-boundaries.ts';
import { checkInlineKeep } from './check-inline-keep.ts';
import { checkBundleCopyDir, checkReference } from './check-reference.ts';
import { composeHeader, labelOf, titleOf } from './compose-reference.ts';
import { composePointer, composePurpose } from './compose-skeleton.ts';
import { type FoundSection, findSection } from './find-section.ts';
import { locateTarget, type Target } from './locate-target.ts';
import { placeSkeleton } from './place-skeleton.ts';
import { proveIdentity } from './prove-identity.ts';
import { ok, type refuse, type Step } from './refusal.ts';
import { checkArguments, type ExtractRequest, isProvided } from './request.ts';
import { type Range, resolveRange } from './resolve-range.ts';
import {
  type Measured,
  type Size,
  type Verdict,
  verdictOfError,
  verdictOfMismatch,
  verdictOfMove,
} from './verdict.ts';

export type ExtractOutcome =
  /** `changes` does the move: the reference file is new, the target keeps its mode. Apply all of it or nothing. */
  | { readonly kind: 'done'; readonly verdict: Verdict; readonly changes: ChangeSet }
  /** Nothing to write: the request was refused, or the bytes could not be proven identical. */
  | { readonly kind: 'refused' | 'failed'; readonly verdict: Verdict };

/**
 * Moves the body of one section of a Markdown file into a new reference file, byte for byte, and leaves the
 * heading with a one-line pointer. Pure: reads the snapshot, writes nothing.
 * Steps 1-4 and 6 of the seed `extract-section`; steps 5, 7 and 8 report `skipped`.
 */
export async function extractSection(snapshot: Snapshot, request: ExtractRequest): Promise<ExtractOutcome> {
  const plan = await planMove(snapshot, request);
  if (plan.kind === 'refused') return endRefused(request, plan.reason, plan.detail);
  const move = composeMove(plan.value, request);
  if (move.kind === 'refused') return endRefused(request, move.reason, move.detail);
  if (!move.value.isIdentical) return { kind: 'failed', verdict: verdictOfMismatch(move.value.measured) };
  const { changes, measured } = move.value;
  const checked = await checkChanges(snapshot, changes);
  if (checked.kind === 'stale')
    return endRefused(request, 'concurrent change', `\`${checked.path}\`: ${checked.why}.`);
  if (checked.kind === 'unsafe')
    return endRefused(request, 'path not allowed', `\`${checked.path}\`: ${checked.why}.`);
  return { kind: 'done', verdict: verdictOfMove(measured), changes };
}

interface Plan {
  readonly target: Target;
  readonly found: FoundSection;
  readonly range: Range;
  readonly keptPhrases: readonly string[];
  readonly reference: RepoPath;
  readonly warnings: readonly string[];
}

// The seed's pre-flight, in its order; the first refusal ends it.
async function planMove(snapshot: Snapshot, request: ExtractRequest): Promise<Step<Plan>> {
  const refused = checkArguments(request);
  if (refused) return refused;
  const target = await locateTarget(snapshot, request.target);
  if (target.kind === 'refused') return target;
  const { document } = target.value;
  const found = findSection(document, request.section);
  if (found.kind === 'refused') return found;
  const range = resolveRange(document, found.value.section, request);
  if (range.kind === 'refused') return range;
  const boundaries = checkBoundaries(document, range.value);
  if (boundaries.kind === 'refused') return boundaries;
  const kept = checkInlineKeep(document, range.value, request.inlineKeep ?? []);
  if (kept.kind === 'refused') return kept;
  const reference = await checkReference(snapshot, target.value, request.reference);
  if (reference.kind === 'refused') return reference;
  const copyDir = await checkBundleCopyDir(snapshot, request.bundleCopyDir);
  if (copyDir.kind === 'refused') return copyDir;
  return ok({
    target: target.value,
    found: found.value,
    range: range.value,
    keptPhrases: kept.value.phrases,
    reference: reference.value,
    warnings: [target.value, found.value, kept.value]
      .flatMap(step => step.warnings)
      .concat(boundaries.value, copyDir.value, warnLeaving(document, range.value, request)),
  });
}

interface ComposedMove {
  readonly isIdentical: boolean;
  readonly changes: ChangeSet;
  readonly measured: Measured;
}

function composeMove(plan: Plan, request: ExtractRequest): Step<ComposedMove> {
  const { target, found, range, reference } = plan;
  const { document, bytes } = target;
  const label = labelOf(document, found.section);
  const body = sliceLines(document.lines, range.first, range.last);
  const header = composeHeader(document, target.path, label, plan.keptPhrases);
  const referenceBytes = Buffer.concat([header, body]);
  const purpose = composePurpose(request.purpose, titleOf(label));
  const after = placeSkeleton(document, range, composePointer(target.path, reference, purpose));
  if (after.kind === 'refused') return after;
  const { start } = document.lines.line(range.first);
  const move = {
    before: bytes,
    start,
    end: start + body.length,
    header,
    reference: referenceBytes,
    after: after.value,
  };
  return ok({
    isIdentical: proveIdentity(move) === 'identical',
    changes: [
      { kind: 'put', path: reference, bytes: referenceBytes, mode: '100644', expected: null },
      { kind: 'put', path: target.path, bytes: after.value, mode: target.mode, expected: target.blobId },
    ],
    measured: {
      target: target.path,
      section: request.section,
      reference,
      extracted: measure(body),
      before: measure(bytes),
      after: measure(after.value),
      range,
      movedHeadings: findLeavingHeadings(document, range),
      warnings: plan.warnings,
    },
  });
}

// With anchors of the caller's own, headings may leave that nobody named.
function warnLeaving(document: Target['document'], range: Range, request: ExtractRequest): string[] {
  if (!isProvided(request.startAfter) && !isProvided(request.endBefore)) return [];
  const leaving = findLeavingHeadings(document, range);
  return leaving.length > 0 ? [`these headings leave the target: ${leaving.map(codeSpan).join(', ')}.`] : [];
}

function measure(bytes: Uint8Array): Size {
  return { chars: countCodePoints(decodeUtf8(bytes)), bytes: bytes.length };
}

function endRefused(request: ExtractRequest, ...[reason, detail]: Parameters<typeof refuse>): ExtractOutcome {
  return { kind: 'refused', verdict: verdictOfError(request, reason, detail) };
}
