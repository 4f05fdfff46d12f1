import { codeSpan } from '../../markdown/code-span.ts';
import type { Verdict } from './verdict.ts';

const STATUS_WORDS: Readonly<Record<Verdict['status'], string>> = {
  ok: 'SUCCESS',
  verification_failed: 'TEST_FAILED',
  error: 'EXECUTION_ERROR',
};

/**
 * The prose half of the answer. Source: seed `extract-section`, Return contract, Layer 1.
 * It never holds a fence: the verdict block is the only one in an answer.
 */
export function renderProse(verdict: Verdict): string {
  const lines = [`Status: ${STATUS_WORDS[verdict.status]}`, '', ...summarise(verdict)];
  for (const { file, match } of verdict.out_of_tree_refs) {
    lines.push(`Warning: ${codeSpan(file)} refers to moved text: ${codeSpan(match)}.`);
  }
  for (const warning of verdict.warnings) lines.push(`Warning: ${warning}`);
  return `${lines.join('\n')}\n`;
}

/** The whole answer: prose first, the one fenced JSON block last. */
export function renderAnswer(verdict: Verdict): string {
  return `${renderProse(verdict)}\n\`\`\`json\n${JSON.stringify(verdict, null, 2)}\n\`\`\`\n`;
}

function summarise(verdict: Verdict): string[] {
  if (verdict.status === 'error')
    return [`Not done, nothing was changed: ${verdict.reason}. ${verdict.detail ?? ''}`.trim()];
  const moved = `${codeSpan(verdict.section)} of ${codeSpan(verdict.target_file)}`;
  const counts =
    `${group(verdict.extracted_chars)} characters (lines ${verdict.range?.start}-${verdict.range?.end}); ` +
    `target ${group(verdict.target_chars_before)} before, ${group(verdict.target_chars_after)} after; bundle sync ${verdict.bundle_sync}.`;
  if (verdict.status === 'verification_failed')
    return [`${moved}: ${verdict.reason}. ${verdict.detail ?? ''} ${counts}`];
  return [`Moved the body of ${moved} to ${codeSpan(verdict.reference_file)}, byte for byte: ${counts}`];
}

function group(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/gu, ' ');
}
