import { codeSpan } from '../markdown/code-span.ts';

// Written as an entity: visible in the source, no width on the page, and it parts what GitHub looks for in the
// finished page, where a backslash has long gone.
const GAP = '&#8203;';

/**
 * Text from a repository or a person as plain words inside Markdown prose, a list item or a table cell: on one line,
 * nothing in it is markup, and nothing in it acts: no mention, no reference to an issue (so no closing keyword
 * either), no link, no HTML, no command of ours or of another bot, no new cell.
 *
 * Not for code spans and fences: `codeSpan`, `codeCell`.
 */
export function escapeMarkdown(text: string): string {
  const line = text
    .toWellFormed()
    // Controls, and the marks that turn the direction of what follows.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  return line.replace(SPECIAL, (found, offset: number) => escapeOne(found, offset, line));
}

// Each alternative is one thing that means something; the order matters where one starts like another.
const SPECIAL = /^\d{1,9}[.)]|www(?=\.)|GH-(?=\d)|:(?=\/\/)|@|#|[&<>]|[\\`*_{}[\]()|~$^]|^[-+=:/]/giu;

function escapeOne(found: string, offset: number, line: string): string {
  switch (found) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    case '@':
      return `@${GAP}`;
    case '#':
      return /^\d/.test(line.slice(offset + 1)) ? `\\#${GAP}` : '\\#';
    case '/': // a line that starts with one is a command
      return `${GAP}/`;
  }
  if (/^\d/.test(found)) return `${found.slice(0, -1)}\\${found.slice(-1)}`;
  if (/^www$|^GH-$/i.test(found)) return `${found}${GAP}`;
  if (found === ':' && line.startsWith('://', offset)) return `:${GAP}`;
  return `\\${found}`;
}

/**
 * `codeSpan` for a cell of a table, where a bar ends the cell even inside code. A bar behind a backslash cannot be
 * written there at all: that becomes an element around escaped text.
 */
export function codeCell(text: string): string {
  const span = codeSpan(text);
  return span.includes('\\|') ? `<code>${escapeMarkdown(text)}</code>` : span.replaceAll('|', '\\|');
}
