import type { Document } from './document.ts';
import { maskCodeSpans } from './mask-code-spans.ts';
import type { Block } from './parse-blocks.ts';

/** Lines that belong together although nothing but their text says so: cutting between them breaks both halves. */
export interface Span {
  readonly kind: 'details' | 'comment';
  readonly firstLine: number;
  readonly lastLine: number;
  /** False when nothing closes it: `lastLine` is then the last line of the document. */
  readonly closed: boolean;
}

const MARK = /<!--|-->|<details(?=[\s>/]|$)|<\/details\s*>/giu;

/**
 * Finds `<details>` elements and HTML comments, in HTML blocks and inside paragraphs, that run over more than
 * one line or are never closed. Code of any kind is not looked at.
 */
export function findSpans(document: Document): Span[] {
  const spans: Span[] = [];
  const openDetails: number[] = [];
  for (const block of document.blocks) {
    if (block.kind !== 'html' && block.kind !== 'paragraph') continue;
    readMarks(document, block, openDetails, spans);
  }
  for (const firstLine of openDetails) {
    spans.push({ kind: 'details', firstLine, lastLine: document.lines.count, closed: false });
  }
  return spans.sort((a, b) => a.firstLine - b.firstLine || b.lastLine - a.lastLine);
}

function readMarks(document: Document, block: Block, openDetails: number[], spans: Span[]): void {
  const text = textOf(document, block);
  let comment: number | undefined;
  let line = block.firstLine;
  let counted = 0;
  for (const mark of text.matchAll(MARK)) {
    line += countLineFeeds(text, counted, mark.index);
    counted = mark.index;
    const word = mark[0].toLowerCase();
    if (comment !== undefined) {
      if (word !== '-->') continue;
      if (line > comment) spans.push({ kind: 'comment', firstLine: comment, lastLine: line, closed: true });
      comment = undefined;
    } else if (word === '<!--') comment = line;
    else if (word === '<details') openDetails.push(line);
    else if (word.startsWith('</')) closeDetails(openDetails, line, spans);
  }
  // Inside a paragraph an opener without an end is ordinary text.
  if (comment !== undefined && block.kind === 'html') {
    spans.push({ kind: 'comment', firstLine: comment, lastLine: block.lastLine, closed: false });
  }
}

function closeDetails(openDetails: number[], line: number, spans: Span[]): void {
  const firstLine = openDetails.pop();
  if (firstLine !== undefined && line > firstLine) {
    spans.push({ kind: 'details', firstLine, lastLine: line, closed: true });
  }
}

function textOf(document: Document, block: Block): string {
  const text = document.lineTexts.slice(block.firstLine - 1, block.lastLine).join('\n');
  return block.kind === 'html' ? text : maskCodeSpans(text);
}

function countLineFeeds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
