import type { Document } from './document.ts';
import { maskCodeSpans } from './mask-code-spans.ts';
import type { Block } from './parse-blocks.ts';

/** A label of a link definition (`[label]: /url`) or footnote (`[^label]: text`), or a place that uses one. */
export interface Label {
  /** As CommonMark compares it: case folded, blanks collapsed; a footnote's begins with `^`. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
}

const DEFINITION = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*\[((?:[^\][\\]|\\.)+)\]:/u;
const USE = /\[((?:[^\][\\]|\\.){1,999})\]/gu;

/** The link definitions and footnotes of a document. Source: CommonMark 0.31.2, section 4.7. */
export function findDefinitions(document: Document): Label[] {
  const covered = coverLines(document.blocks, document.lines.count);
  const labels: Label[] = [];
  document.lineTexts.forEach((text, at) => {
    const isInFrontmatter = at < (document.frontmatter?.lastLine ?? 0);
    if (covered[at + 1] || isInFrontmatter) return;
    const match = DEFINITION.exec(text);
    if (match?.[1]) labels.push({ name: normalise(match[1]), line: at + 1 });
  });
  for (const { kind, firstLine } of document.blocks) {
    const match = kind === 'footnote' ? DEFINITION.exec(document.lineTexts[firstLine - 1] ?? '') : null;
    if (match?.[1]) labels.push({ name: normalise(match[1]), line: firstLine });
  }
  return labels;
}

/** Every bracketed text outside code that could use a label: `[label]`, `[text][label]`, `[^label]`. */
export function findLabelUses(document: Document): Label[] {
  return document.blocks
    .filter(({ kind }) => kind === 'paragraph' || kind === 'heading' || kind === 'table')
    .flatMap(block => findUsesIn(document, block));
}

function findUsesIn(document: Document, { firstLine, lastLine }: Block): Label[] {
  const text = maskCodeSpans(document.lineTexts.slice(firstLine - 1, lastLine).join('\n'));
  const uses: Label[] = [];
  let line = firstLine;
  let counted = 0;
  for (const match of text.matchAll(USE)) {
    for (; counted < match.index; counted += 1) if (text[counted] === '\n') line += 1;
    uses.push({ name: normalise(match[1] ?? ''), line });
  }
  return uses;
}

// The block rules take definitions out of paragraphs: the lines they stand on belong to no leaf block.
function coverLines(blocks: readonly Block[], count: number): boolean[] {
  const covered = new Array<boolean>(count + 1).fill(false);
  for (const { kind, firstLine, lastLine } of blocks) {
    const isLeaf = kind !== 'quote' && kind !== 'list' && kind !== 'item' && kind !== 'footnote';
    if (isLeaf) covered.fill(true, firstLine, lastLine + 1);
  }
  return covered;
}

function normalise(label: string): string {
  return label.trim().replace(/\s+/gu, ' ').toLowerCase().toUpperCase();
}
