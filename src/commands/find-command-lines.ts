import { remark } from 'remark';
import remarkGfm from 'remark-gfm';
import { parseDocument } from '../markdown/document.ts';

/** GitHub takes no longer comments; nothing longer is looked at. UTF-16 units. */
const MAX_COMMENT = 65_536;
/** A paragraph with a command in it is short; a longer one is not handed to the slow parser. */
const MAX_PARAGRAPH = 16_384;
const LOOKS_LIKE_COMMAND = /^ {0,3}\/[a-z]/mu;

const parser = remark().use(remarkGfm);

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
  const commands = blocks
    .filter(({ kind, parent }) => kind === 'paragraph' && parent === undefined)
    .flatMap(({ firstLine, lastLine }) => findInParagraph(lines, firstLine - 1, lastLine - 1));
  return { lines, commands };
}

function findInParagraph(lines: readonly string[], first: number, last: number): CommandLine[] {
  const texts = lines.slice(first, last + 1);
  const source = texts.join('\n');
  if (source.length > MAX_PARAGRAPH || !LOOKS_LIKE_COMMAND.test(source)) return [];
  const plain = findPlainText(source);
  let offset = 0;
  return texts.flatMap((text, at) => {
    const slash = offset + (text.length - text.trimStart().length);
    offset += text.length + 1;
    const isCommand =
      /^ {0,3}\/[a-z]/u.test(text) && plain.some(([start, end]) => start <= slash && slash < end);
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

/** Without any of these a paragraph is text from end to end, and need not be parsed to know it. */
const INLINE_SYNTAX = /[`*_~<>[\]&\\!@]|:\/\/|www\./iu;

// Offsets of the text that stands directly in the paragraph: not emphasised, not linked, not code, not HTML.
function findPlainText(source: string): [number, number][] {
  return INLINE_SYNTAX.test(source) ? parsePlainText(source) : [[0, source.length]];
}

/** What `findPlainText` finds, by a whole parse. */
export function parsePlainText(source: string): [number, number][] {
  const tree = parser.parse(source) as unknown as Node;
  const [paragraph] = tree.children ?? [];
  if (paragraph?.type !== 'paragraph') return [];
  return (paragraph.children ?? [])
    .filter(({ type }) => type === 'text')
    .map(({ position }) => [position?.start.offset ?? 0, position?.end.offset ?? 0]);
}
