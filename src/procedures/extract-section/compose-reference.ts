import { codeSpan } from '../../markdown/code-span.ts';
import type { Document } from '../../markdown/document.ts';
import type { Section } from '../../markdown/find-sections.ts';
import { dominantTerminator } from '../../markdown/line-index.ts';
import { baseNameOf, type RepoPath } from '../../snapshot/repo-path.ts';

const NUMBERING =
  /^(?:(?:(?:Phase|Step|Part|Stage|Section|Chapter)\s+\d+(?:\.\d+)*[a-z]?\s*[:.\-\u2013\u2014]|M\d+\s+\u2014|\d+(?:\.\d+)*[.)])(?:\s+|$))/iu;

/** A section's name on one line, links reduced to their text, without its `#`s. */
export function labelOf(document: Document, section: Section): string {
  return document
    .withoutLinks(section.source)
    .replace(/\s*\n\s*/gu, ' ')
    .trim();
}

/** A label without its numbering prefix (`Phase 11: Code Review` is `Code Review`); all of it if nothing is left. */
export function titleOf(label: string): string {
  const title = label.replace(NUMBERING, '').trim();
  return title === '' ? label : title;
}

/**
 * The header block of a reference file, the seed's template word for word, with the line ends of the target.
 * It ends with one blank line. Source: seed `extract-section`, Process step 3.
 */
export function composeHeader(
  document: Document,
  target: RepoPath,
  label: string,
  keptPhrases: readonly string[],
): Uint8Array {
  const parent = codeSpan(baseNameOf(target));
  const kept = keptPhrases.length > 0 ? `${nameKept(keptPhrases)} inline in ${parent}. ` : '';
  const lines = [
    `# ${titleOf(label)} (extracted from ${parent} ${label})`,
    '',
    `Deep reference for ${parent} **${label}**. ${kept}Content is verbatim-extracted, retaining its original numbering and indentation. Unqualified \`§ <Heading>\` references and \`sub-step N\` references resolve to ${parent}.`,
    '',
  ];
  const terminator = dominantTerminator(document.lines);
  return Buffer.from(lines.map(line => line + terminator).join(''), 'utf8');
}

function nameKept(phrases: readonly string[]): string {
  const spans = phrases.map(codeSpan);
  return spans.length === 1
    ? `${spans[0]} stays`
    : `${spans.slice(0, -1).join(', ')} and ${spans.at(-1)} stay`;
}
