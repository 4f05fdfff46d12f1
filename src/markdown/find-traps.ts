import type { Document } from './document.ts';
import { findSections, type Section } from './find-sections.ts';
import { findSpans, type Span } from './find-spans.ts';
import type { Block } from './parse-blocks.ts';

export type TrapKind =
  /** A code fence that nothing closes: everything to the end of its container is code. */
  | 'unclosed-fence'
  /** A line inside a fence that opens another one of the same kind: the first closer ends the outer fence. */
  | 'doubled-fence'
  /** Text over `---` or `===` that reads like a paragraph over a thematic break, but is a heading. */
  | 'accidental-setext'
  /** An HTML comment that nothing closes. */
  | 'unclosed-comment'
  /** `<details>` without `</details>`. */
  | 'unclosed-details'
  /** `<details>` of which some section's body holds one end only: moving that body would tear it apart. */
  | 'straddling-details'
  /** Line 1 opens frontmatter, nothing closes it. */
  | 'unclosed-frontmatter';

/** A place where the file's structure is probably not what its author meant. `line` is 1-based. */
export interface Trap {
  readonly line: number;
  readonly kind: TrapKind;
}

/** Names the traps of a document, in line order. */
export function findTraps(document: Document): Trap[] {
  const sections = findSections(document);
  const traps: Trap[] = [];
  if (document.unclosedFrontmatter) traps.push({ line: 1, kind: 'unclosed-frontmatter' });
  for (const block of document.blocks) traps.push(...trapsOfBlock(block));
  for (const span of findSpans(document)) traps.push(...trapsOfSpan(span, sections));
  return traps.sort((a, b) => a.line - b.line);
}

function trapsOfBlock(block: Block): Trap[] {
  if (block.kind === 'heading' && isAccidentalSetext(block)) {
    return [{ line: block.firstLine, kind: 'accidental-setext' }];
  }
  if (block.kind !== 'fence') return [];
  const traps: Trap[] = block.closed ? [] : [{ line: block.firstLine, kind: 'unclosed-fence' }];
  const inner = findInnerOpener(block);
  if (inner !== undefined) traps.push({ line: inner, kind: 'doubled-fence' });
  return traps;
}

// A fence of the same character, at least as long, with an info string cannot be meant as a closer.
function findInnerOpener(fence: Block): number | undefined {
  const marker = fence.marker ?? '```';
  const opener = new RegExp(`^ {0,3}${marker[0]}{${marker.length},}[ \\t]*[A-Za-z][^\`]*$`, 'u');
  const at = (fence.source ?? '').split('\n').findIndex(line => opener.test(line));
  return at < 0 ? undefined : fence.firstLine + 1 + at;
}

// A heading is short, on one line, and no sentence, list of keys or table row.
function isAccidentalSetext(heading: Block): boolean {
  if (heading.style !== 'setext') return false;
  const source = heading.source ?? '';
  return (
    source.includes('\n') || /[.;,:|]$/u.test(source) || /^\w[\w-]*:\s/u.test(source) || source.length > 100
  );
}

function trapsOfSpan(span: Span, sections: readonly Section[]): Trap[] {
  if (!span.closed) {
    return [
      { line: span.firstLine, kind: span.kind === 'details' ? 'unclosed-details' : 'unclosed-comment' },
    ];
  }
  if (span.kind !== 'details') return [];
  const isCut = findInnermost(sections, span.firstLine) !== findInnermost(sections, span.lastLine);
  return isCut ? [{ line: span.firstLine, kind: 'straddling-details' }] : [];
}

// Index of the last heading at or above a line: bodies are nested, so two lines with the same one share all of them.
function findInnermost(sections: readonly Section[], line: number): number {
  let low = 0;
  let high = sections.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.headingFirstLine ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
