import type { Document } from './document.ts';
import type { Block } from './parse-blocks.ts';

/**
 * What a line must begin with to stand directly inside a container: blanks up to the content column of each
 * list item or footnote, `> ` for each quote. `''` for the top level.
 * Source: CommonMark 0.31.2, sections 5.1 and 5.2.
 */
export function containerPrefix(document: Document, container: Block | undefined): string {
  if (!container) return '';
  const outer = containerPrefix(document, container.parent);
  if (container.kind === 'list') return outer;
  if (container.kind === 'quote') return `${outer}> `;
  if (container.kind === 'footnote') return `${outer}    `;
  return outer + ' '.repeat(itemWidth(document, container, outer));
}

const MARKER = /^([ \t]*)([-+*]|\d{1,9}[.)])([ \t]*)(.*)$/u;

// Columns from the outer container's content to the item's: indentation, marker, and up to four blanks after it.
function itemWidth(document: Document, item: Block, outer: string): number {
  const line = expandTabs(document.lineTexts[item.firstLine - 1] ?? '').slice(outer.length);
  const match = MARKER.exec(line);
  if (!match) return 2;
  const [, indent = '', marker = '', blanks = '', rest = ''] = match;
  const isOneBlank = rest === '' || blanks.length > 4;
  return indent.length + marker.length + (isOneBlank ? 1 : blanks.length);
}

function expandTabs(line: string): string {
  let columns = '';
  for (const char of line) columns += char === '\t' ? ' '.repeat(4 - (columns.length % 4)) : char;
  return columns;
}
