import { z } from 'zod';
import type { Range } from './resolve-range.ts';

const count = z.int().nonnegative();
const checked = z.enum(['ok', 'violations', 'error', 'skipped']);

/**
 * The verdict as it is handed out: the seed's fields word for word, then ours. `reason` is there when and only
 * when `status` is not `ok`; `detail` explains it. `*_chars` are Unicode code points, `*_bytes` bytes.
 * Source: seed `extract-section`, Return contract, Layer 2.
 */
export const verdictSchema = z.strictObject({
  status: z.enum(['ok', 'verification_failed', 'error']),
  target_file: z.string(),
  section: z.string(),
  reference_file: z.string(),
  extracted_chars: count,
  target_chars_before: count,
  target_chars_after: count,
  verbatim_check: z.enum(['identical', 'mismatch', 'skipped']),
  edited_files: z.array(z.string()),
  out_of_tree_refs: z.array(z.strictObject({ file: z.string(), match: z.string() })),
  bundle_sync: z.enum(['synced', 'skipped']),
  verify_skill_refs: checked,
  verify_bundle_sync: z.enum(['ok', 'drift', 'error', 'skipped']),
  reason: z.string().optional(),
  detail: z.string().optional(),
  extracted_bytes: count,
  target_bytes_before: count,
  target_bytes_after: count,
  /** The lines that moved, 1-based, inclusive. */
  range: z.strictObject({ start: count, end: count }).optional(),
  /** Heading lines that left the target. */
  moved_headings: z.array(z.string()),
  warnings: z.array(z.string()),
});

export type Verdict = z.infer<typeof verdictSchema>;

/** Sizes of one text, before or after. */
export interface Size {
  readonly chars: number;
  readonly bytes: number;
}

/** What was measured of a run that got as far as composing the files. */
export interface Measured {
  readonly target: string;
  readonly section: string;
  readonly reference: string;
  readonly extracted: Size;
  readonly before: Size;
  readonly after: Size;
  readonly range: Range;
  readonly movedHeadings: readonly string[];
  readonly warnings: readonly string[];
}

/** The verdict of a move whose bytes were proven identical. */
export function verdictOfMove(measured: Measured): Verdict {
  return inContractOrder({
    ...countsOf(measured),
    status: 'ok',
    verbatim_check: 'identical',
    edited_files: [measured.reference, measured.target],
  });
}

/** The verdict of a move whose bytes are not identical: nothing was written. */
export function verdictOfMismatch(measured: Measured): Verdict {
  return inContractOrder({
    ...countsOf(measured),
    status: 'verification_failed',
    verbatim_check: 'mismatch',
    reason: 'byte mismatch',
    detail: 'The moved text is not the removed text to the byte. Nothing was written; please report this.',
  });
}

/** The verdict of a run that ended before anything moved: counts zero, arrays empty, checks skipped. */
export function verdictOfError(
  given: { readonly target: string; readonly section: string; readonly reference: string },
  reason: string,
  detail: string,
): Verdict {
  return inContractOrder({
    status: 'error',
    target_file: given.target,
    section: given.section,
    reference_file: given.reference,
    extracted_chars: 0,
    target_chars_before: 0,
    target_chars_after: 0,
    ...NOT_RUN,
    verbatim_check: 'skipped',
    edited_files: [],
    reason,
    detail,
    extracted_bytes: 0,
    target_bytes_before: 0,
    target_bytes_after: 0,
    moved_headings: [],
    warnings: [],
  });
}

function inContractOrder(verdict: Verdict): Verdict {
  const fields = Object.keys(verdictSchema.shape).filter(field => field in verdict);
  return Object.fromEntries(fields.map(field => [field, verdict[field as keyof Verdict]])) as Verdict;
}

const NOT_RUN = {
  out_of_tree_refs: [],
  bundle_sync: 'skipped',
  verify_skill_refs: 'skipped',
  verify_bundle_sync: 'skipped',
} satisfies Partial<Verdict>;

function countsOf(measured: Measured): Omit<Verdict, 'status' | 'verbatim_check'> {
  const { target, section, reference, extracted, before, after, range } = measured;
  return {
    target_file: target,
    section,
    reference_file: reference,
    extracted_chars: extracted.chars,
    target_chars_before: before.chars,
    target_chars_after: after.chars,
    edited_files: [],
    ...NOT_RUN,
    extracted_bytes: extracted.bytes,
    target_bytes_before: before.bytes,
    target_bytes_after: after.bytes,
    range: { start: range.first, end: range.last },
    moved_headings: [...measured.movedHeadings],
    warnings: [...measured.warnings],
  };
}
