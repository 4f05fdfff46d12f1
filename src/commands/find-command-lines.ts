import { remark } from 'remark';
import remarkGfm from 'remark-gfm';
import { parseDocument } from '../markdown/document.ts';

/** GitHub takes no longer comments; nothing longer is looked at. UTF-16 units. */
const MAX_COMMENT = 65_536;
/**
 * How much of one comment is handed to the slow parser, whose time grows with the square of hostile text. Only
 * paragraphs need it that have inline syntax before a command; commands beyond it are not heard.
 */
const MAX_PARSED = 4000;
const LOOKS_LIKE_COMMAND = /^ {0,3}\/[a-z]/mu;

const commonMark = remark();
// For `~~` alone: it gives no positions around addresses it made links of.
const gitHub = remark().use(remarkGfm);

/** A line that could be a command: it begins with `/` in a paragraph at the top level of a comment. */
export interface CommandLine {
  /** 0-based index into `lines`. */
  readonly at: number;
  readonly text: string;
}

export interface CommentLines {
  /** Lines of the comment without terminators. */
  readonly lines: readonly string[];
  readonly commands: readonly CommandLine[];
}

/**
 * Finds the lines of a comment that can be commands. Read as Markdown, so that nothing inside a fence, indented
 * code, a quote, a list, inline code or an HTML comment ever is one: people quote commands, and what a reader
 * does not see must not act.
 */
export function findCommandLines(body: string): CommentLines {
  const lines = body.split(/\r\n|\n|\r/u);
  if (body.length > MAX_COMMENT || !LOOKS_LIKE_COMMAND.test(body.replaceAll('\r', '\n')))
    return { lines, commands: [] };
  const { blocks } = parseDocument(Buffer.from(body, 'utf8'));
  let left = MAX_PARSED;
  const isPlainAt = (source: string, slash: number): boolean => {
    if (!INLINE_SYNTAX.test(source.slice(0, slash))) return true; // nothing before it could hold it
    if (source.length > left) return false;
    left -= source.length;
    return parsePlainText(source).some(([start, end]) => start <= slash && slash < end);
  };
  const commands = blocks
    .filter(({ kind, parent }) => kind === 'paragraph' && parent === undefined)
    .flatMap(({ firstLine, lastLine }) => findInParagraph(lines, firstLine - 1, lastLine - 1, isPlainAt));
  return { lines, commands };
}

function findInParagraph(
  lines: readonly string[],
  first: number,
  last: number,
  isPlainAt: (source: string, slash: number) => boolean,
): CommandLine[] {
  const texts = lines.slice(first, last + 1);
  const source = texts.join('\n');
  if (!LOOKS_LIKE_COMMAND.test(source)) return [];
  let offset = 0;
  return texts.flatMap((text, at) => {
    const slash = offset + (text.length - text.trimStart().length);
    offset += text.length + 1;
    const isCommand = /^ {0,3}\/[a-z]/u.test(text) && isPlainAt(source, slash);
    return isCommand ? [{ at: first + at, text: text.trimStart() }] : [];
  });
}

interface Node {
  readonly type: string;
  readonly position?: {
    readonly start: { readonly offset?: number };
    readonly end: { readonly offset?: number };
  };
  readonly children?: readonly Node[];
}

/** What may begin something that holds a later line. */
const INLINE_SYNTAX = /[`*_~<[]/u;

/**
 * Offsets of the text that stands directly in a paragraph: not emphasised, not linked, not code, not HTML.
 */
export function parsePlainText(source: string): [number, number][] {
  const parser = source.includes('~') ? gitHub : commonMark;
  const tree = parser.parse(source) as unknown as Node;
  const [paragraph] = tree.children ?? [];
  if (paragraph?.type !== 'paragraph') return [];
  return (paragraph.children ?? [])
    .filter(({ type }) => type === 'text')
    .map(({ position }) => [position?.start.offset ?? 0, position?.end.offset ?? 0]);
}
