import { codeSpan } from '../../markdown/code-span.ts';
import type { Document } from '../../markdown/document.ts';
import { ok, refuse, type Step } from './refusal.ts';
import type { Range } from './resolve-range.ts';

export interface KeptPhrases {
  readonly phrases: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Makes sure that each phrase that must stay inline occurs outside the range. One phrase a line, blanks around
 * it dropped. Source: seed `extract-section`, Pre-flight step 3.
 */
export function checkInlineKeep(
  document: Document,
  range: Range,
  given: readonly string[],
): Step<KeptPhrases> {
  const phrases = given
    .flatMap(value => value.split(/\r\n|\n|\r/u))
    .map(phrase => phrase.trim())
    .filter(phrase => phrase !== '');
  const warnings: string[] = [];
  for (const phrase of phrases) {
    const lines = document.lineTexts.flatMap((text, at) => (text.includes(phrase) ? [at + 1] : []));
    const inside = lines.filter(line => range.first <= line && line <= range.last);
    if (lines.length === 0) {
      return refuse(
        'inline-keep phrase not found',
        `${codeSpan(phrase)} stands nowhere in the target. Copy it as it is written there.`,
      );
    }
    if (inside.length === lines.length) {
      return refuse(
        'inline-keep phrase inside extraction range',
        `${codeSpan(phrase)} stands only on lines that would move (${inside.join(', ')}). Adjust \`Start after:\` or \`End before:\`, or extract this section by hand.`,
      );
    }
    if (inside.length > 0)
      warnings.push(
        `${codeSpan(phrase)} stands inside the range too (line ${inside.join(', ')}): its definition is then in both files.`,
      );
  }
  return ok({ phrases, warnings });
}
