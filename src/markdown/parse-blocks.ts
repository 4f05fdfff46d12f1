import MarkdownIt from 'markdown-it';
import tableRule from 'markdown-it/lib/rules_block/table.mjs';
import { definitionContinuationRule, definitionRule } from './definition-rules.ts';
import { footnoteDefinitionRule } from './footnote-definition-rule.ts';

export type BlockKind =
  | 'heading'
  | 'paragraph'
  | 'fence'
  | 'code'
  | 'html'
  | 'table'
  | 'rule'
  | 'quote'
  | 'list'
  | 'item'
  | 'footnote';

/** A block of a document. Lines are 1-based and inclusive; trailing blank lines are not part of it. */
export interface Block {
  readonly kind: BlockKind;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The container around it (quote, list, item, footnote); undefined at the top level. */
  readonly parent: Block | undefined;
  /** Headings: 1-6. */
  readonly level?: 1 | 2 | 3 | 4 | 5 | 6;
  /** Headings: how it is written. */
  readonly style?: 'atx' | 'setext';
  /** Headings: its Markdown source without markers. Fences: their content. HTML: its source. */
  readonly source?: string;
  /** Fences: the info string. */
  readonly info?: string;
  /** Fences: the characters that open it, for instance four backticks. */
  readonly marker?: string;
  /** Fences and HTML comments: false when nothing closes it and it runs to the end of its container. */
  readonly closed?: boolean;
}

export interface BlockStructure {
  /** Every block, containers before what they hold, in document order. */
  readonly blocks: readonly Block[];
  /** The plain text a reader sees of a piece of inline Markdown, with this document's link definitions. */
  readonly plainText: (inlineSource: string) => string;
  /** A piece of inline Markdown, its links and images reduced to their text and comments gone, all else kept. */
  readonly withoutLinks: (inlineSource: string) => string;
}

type Token = ReturnType<MarkdownIt['parse']>[number];
type Writable = { -readonly [Key in keyof Block]: Block[Key] };

// Deeper nesting than this is treated as text: nobody reads it, and hostile input must not recurse for ever.
const MAX_NESTING = 100;

const parser = createParser();

const CONTAINERS: Readonly<Record<string, BlockKind>> = {
  blockquote_open: 'quote',
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  list_item_open: 'item',
  footnote_definition_open: 'footnote',
};

const LEAVES: Readonly<Record<string, BlockKind>> = {
  heading_open: 'heading',
  paragraph_open: 'paragraph',
  fence: 'fence',
  code_block: 'code',
  html_block: 'html',
  table_open: 'table',
  hr: 'rule',
};

const CONTAINER_CLOSERS = new Set(Object.keys(CONTAINERS).map(open => open.replace('_open', '_close')));

/**
 * Finds the block structure of Markdown (CommonMark with GFM tables and footnotes): markdown-it's block rules
 * with line maps, nothing inline. `lineTexts` are the lines without terminators and byte order mark, lines of
 * frontmatter given as empty.
 */
export function parseBlocks(lineTexts: readonly string[]): BlockStructure {
  const environment = {};
  const tokens: Token[] = [];
  parser.block.parse(
    lineTexts
      .map(text => `${text}\n`)
      .join('')
      .replaceAll('\0', '\ufffd'),
    parser,
    environment,
    tokens,
  );
  return {
    blocks: toBlocks(tokens, lineTexts),
    plainText: source => readTokens(parser.parseInline(source, environment), readText),
    withoutLinks: source => readTokens(parser.parseInline(source, environment), readMarkdown),
  };
}

function createParser(): MarkdownIt {
  const parser = new MarkdownIt('commonmark');
  parser.set({ maxNesting: MAX_NESTING } as Parameters<MarkdownIt['set']>[0]);
  parser.enable('strikethrough');
  // markdown-it tries tables before anything else, so that `1. a | b` over a delimiter row would be no list item.
  parser.block.ruler.before('lheading', 'table_last', tableRule, { alt: ['paragraph', 'reference'] });
  parser.block.ruler.at('reference', definitionRule);
  parser.block.ruler.before('code', 'definition_continuation', definitionContinuationRule);
  parser.block.ruler.before('reference', 'footnote_definition', footnoteDefinitionRule, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  return parser;
}

function toBlocks(tokens: readonly Token[], lineTexts: readonly string[]): Block[] {
  const blocks: Block[] = [];
  const open: Block[] = [];
  tokens.forEach((token, at) => {
    const container = CONTAINERS[token.type];
    const kind = container ?? LEAVES[token.type];
    if (kind && token.map) {
      const block = toBlock(kind, token, tokens[at + 1], open.at(-1), lineTexts);
      blocks.push(block);
      if (container) open.push(block);
    }
    if (CONTAINER_CLOSERS.has(token.type)) open.pop();
  });
  return blocks;
}

function toBlock(
  kind: BlockKind,
  token: Token,
  next: Token | undefined,
  parent: Block | undefined,
  lineTexts: readonly string[],
): Block {
  const [start, end] = token.map as [number, number];
  const block: Writable = { kind, firstLine: start + 1, lastLine: Math.max(end, start + 1), parent };
  if (kind === 'heading') Object.assign(block, describeHeading(token, next));
  if (kind === 'fence') Object.assign(block, describeFence(token, end - start));
  if (kind === 'html') Object.assign(block, { source: token.content, closed: isHtmlClosed(token.content) });
  trimBlankEnd(block, lineTexts);
  return block;
}

function describeHeading(token: Token, inline: Token | undefined): Partial<Block> {
  return {
    level: Number(token.tag.slice(1)) as 1 | 2 | 3 | 4 | 5 | 6,
    style: token.markup.startsWith('#') ? 'atx' : 'setext',
    source: inline?.content ?? '',
  };
}

// A closed fence spends one line of its map on the closer, which its content does not hold.
function describeFence(token: Token, mappedLines: number): Partial<Block> {
  const contentLines = token.content === '' ? 0 : token.content.replace(/\n$/u, '').split('\n').length;
  return {
    source: token.content,
    info: token.info.trim(),
    marker: token.markup,
    closed: mappedLines === contentLines + 2,
  };
}

const HTML_ENDS: readonly (readonly [RegExp, RegExp])[] = [
  [/^\s{0,3}<(?:script|pre|style|textarea)(?=\s|>|$)/iu, /<\/(?:script|pre|style|textarea)>/iu],
  [/^\s{0,3}<!--/u, /-->/u],
  [/^\s{0,3}<\?/u, /\?>/u],
  [/^\s{0,3}<!\[CDATA\[/u, /\]\]>/u],
  [/^\s{0,3}<![A-Za-z]/u, />/u],
];

// CommonMark's HTML block kinds 1-5 run to their end mark, or to the end of the container without one.
function isHtmlClosed(source: string): boolean {
  const kind = HTML_ENDS.find(([start]) => start.test(source));
  return kind === undefined || kind[1].test(source);
}

function trimBlankEnd(block: Writable, lineTexts: readonly string[]): void {
  while (block.lastLine > block.firstLine && /^[\s>]*$/u.test(lineTexts[block.lastLine - 1] ?? '')) {
    block.lastLine -= 1;
  }
}

function readTokens(tokens: readonly Token[], read: (token: Token) => string): string {
  return tokens
    .map(token => (token.type === 'inline' ? readTokens(token.children ?? [], read) : read(token)))
    .join('');
}

function readText(token: Token): string {
  switch (token.type) {
    case 'text':
    case 'text_special':
    case 'code_inline':
      return token.content;
    case 'softbreak':
    case 'hardbreak':
      return '\n';
    default:
      return '';
  }
}

function readMarkdown(token: Token): string {
  switch (token.type) {
    case 'text':
    case 'image':
      return token.content;
    case 'html_inline':
      return /^(?:<!--|<\/?a[\s>])/iu.test(token.content) ? '' : token.content;
    case 'code_inline':
      return readCodeSpan(token);
    case 'softbreak':
    case 'hardbreak':
      return '\n';
    case 'link_open':
    case 'link_close':
      return '';
    default:
      return token.markup;
  }
}

function readCodeSpan({ markup, content }: Token): string {
  const pad = content.startsWith('`') || content.endsWith('`') ? ' ' : '';
  return `${markup}${pad}${content}${pad}${markup}`;
}
