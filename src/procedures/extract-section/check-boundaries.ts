import type { Document } from '../../markdown/document.ts';
import { findDefinitions, findLabelUses } from '../../markdown/find-labels.ts';
import { findSections } from '../../markdown/find-sections.ts';
import { findSpans, type Span } from '../../markdown/find-spans.ts';
import { findTraps } from '../../markdown/find-traps.ts';
import type { Block } from '../../markdown/parse-blocks.ts';
import { ok, type Reason, refuse, type Step } from './refusal.ts';
import type { Range } from './resolve-range.ts';

/**
 * Refuses a range that cuts through something only whole makes sense (a fence, a comment, an HTML block, a
 * heading, one end of a `<details>`), and warns of cuts that are legal but worth a look.
 */
export function checkBoundaries(document: Document, range: Range): Step<readonly string[]> {
  for (const block of document.blocks) {
    const reason = isSplit(range, block) ? reasonFor(block) : undefined;
    if (reason) return refuse(reason, explain(range, block));
  }
  for (const span of findSpans(document)) {
    if (span.kind === 'comment' && isSplit(range, span))
      return refuse('range splits an HTML comment', explain(range, span));
    if (span.kind === 'details' && span.closed && isEndCut(range, span)) {
      return refuse('range splits a details element', explain(range, span));
    }
  }
  return ok([
    ...warnOfCuts(document, range),
    ...warnOfTraps(document, range),
    ...warnOfRule(document, range),
    ...warnOfLabels(document, range),
  ]);
}

type Lines = { readonly firstLine: number; readonly lastLine: number };

function isSplit({ first, last }: Range, { firstLine, lastLine }: Lines): boolean {
  const touches = firstLine <= last && lastLine >= first;
  return touches && !(first <= firstLine && lastLine <= last);
}

function isEndCut(range: Range, { firstLine, lastLine }: Span): boolean {
  return isIn(range, firstLine) !== isIn(range, lastLine);
}

function isIn({ first, last }: Range, line: number): boolean {
  return first <= line && line <= last;
}

function reasonFor({ kind, source }: Block): Reason | undefined {
  if (kind === 'fence') return 'range splits a fenced block';
  if (kind === 'heading') return 'range splits a heading';
  if (kind !== 'html') return undefined;
  return source?.trimStart().startsWith('<!--')
    ? 'range splits an HTML comment'
    : 'range splits an HTML block';
}

function explain({ first, last }: Range, { firstLine, lastLine }: Lines): string {
  return `The range is lines ${first}-${last}, the block is lines ${firstLine}-${lastLine}. Move \`Start after:\` or \`End before:\` past it.`;
}

function warnOfCuts(document: Document, range: Range): string[] {
  const names: Partial<Record<Block['kind'], string>> = {
    table: 'a table',
    code: 'indented code',
    paragraph: 'a paragraph',
  };
  return document.blocks.flatMap(block => {
    const name = names[block.kind];
    return name && isSplit(range, block)
      ? [`the range cuts through ${name} (lines ${block.firstLine}-${block.lastLine}).`]
      : [];
  });
}

function warnOfTraps(document: Document, range: Range): string[] {
  const words: Record<string, string> = {
    'unclosed-fence': 'a code fence that nothing closes',
    'doubled-fence': 'a fence opened inside another of the same length',
    'accidental-setext': 'text over `---` that is a heading',
    'unclosed-comment': 'an HTML comment that nothing closes',
    'unclosed-details': '`<details>` that nothing closes',
    'unclosed-frontmatter': 'frontmatter that nothing closes',
  };
  return findTraps(document).flatMap(({ line, kind }) => {
    const word = words[kind];
    return word && line <= range.last
      ? [`line ${line} has ${word}: check that the section ends where you mean.`]
      : [];
  });
}

function warnOfRule(document: Document, range: Range): string[] {
  const leaves = document.blocks.filter(({ lastLine }) => isIn(range, lastLine));
  return leaves.at(-1)?.kind === 'rule' ? ['the range ends with a thematic break, which moves too.'] : [];
}

// A link or footnote works only in the file that holds its definition.
function warnOfLabels(document: Document, range: Range): string[] {
  const definitions = findDefinitions(document);
  if (definitions.length === 0) return [];
  // Of each label the first use inside the range and the first outside.
  const firstUses = new Map<string, { inside?: number; outside?: number }>();
  for (const { name, line } of findLabelUses(document)) {
    const known = firstUses.get(name) ?? {};
    firstUses.set(name, isIn(range, line) ? { inside: line, ...known } : { outside: line, ...known });
  }
  const warnings = definitions.flatMap(({ name, line }) => {
    const apart = isIn(range, line) ? firstUses.get(name)?.outside : firstUses.get(name)?.inside;
    return apart === undefined
      ? []
      : [
          `line ${apart} uses a link or footnote defined on line ${line}, which will stand in the other file.`,
        ];
  });
  return [...new Set(warnings)];
}

/** The headings whose labels leave the target, as `line: source`, in order. */
export function findLeavingHeadings(document: Document, range: Range): string[] {
  return findSections(document)
    .filter(({ headingFirstLine }) => isIn(range, headingFirstLine))
    .map(({ headingFirstLine }) => document.lineTexts[headingFirstLine - 1] ?? '');
}
