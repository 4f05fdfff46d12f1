import MarkdownIt from 'markdown-it';
import tableRule from 'markdown-it/lib/rules_block/table.mjs';
import { openElements } from './open-elements.ts';

const markdown = createParser();
/** A word nobody writes: where it ends up shows what would swallow the text that follows. */
const PROBE = 'skillkeeper\u2060probe\u2060';

type Token = ReturnType<MarkdownIt['parse']>[number];

export interface Closed {
  /** What to write under the text so that nothing it opened reaches further. */
  readonly closers: string;
  /** Set when the text ends inside an HTML tag or the like, which nothing closes: keep only this many lines of it. */
  readonly cutBefore?: number;
}

/**
 * What Markdown leaves open at its end: a fence, an HTML comment or other raw block, HTML elements. Lists and quotes
 * are not: the next line at the margin ends them.
 */
export function closeMarkdown(text: string): Closed {
  const tokens = markdown.parse(`${text}\n\n${PROBE}`, {});
  const swallower = tokens.find(token => token.type !== 'inline' && token.content.includes(PROBE));
  const block = swallower === undefined ? '' : endOfBlock(swallower);
  if (block === undefined) return { closers: '', cutBefore: swallower?.map?.[0] ?? 0 };
  const pieces = htmlIn(tokens, block);
  const { open, brokenPiece } = openElements(pieces.map(({ html }) => html));
  if (brokenPiece !== undefined) return { closers: '', cutBefore: pieces[brokenPiece]?.lineIndex ?? 0 };
  const elements = open.map(name => `</${name}>`).join('\n');
  return { closers: `${block}${elements === '' ? '' : `\n\n${elements}`}` };
}

function createParser(): MarkdownIt {
  const parser = new MarkdownIt('commonmark');
  // Definitions of links taken out early would let the next line begin a block that on GitHub it cannot begin.
  parser.disable('reference');
  // As in `parse-blocks.ts`: markdown-it tries tables before anything else.
  parser.block.ruler.before('lheading', 'table_last', tableRule, { alt: ['paragraph'] });
  return parser;
}

/** The line that ends a block which runs on across blank lines; undefined when we know none. */
function endOfBlock(block: Token): string | undefined {
  if (block.type === 'fence') return `\n${block.markup}`;
  if (block.type !== 'html_block') return undefined;
  const start = block.content.trimStart();
  if (start.startsWith('<!--')) return '\n-->';
  if (start.startsWith('<?')) return '\n?>';
  if (start.startsWith('<![CDATA[')) return '\n]]>';
  if (start.startsWith('<!')) return '\n>';
  const name = /^<(script|pre|style|textarea)\b/i.exec(start)?.[1];
  return name === undefined ? undefined : `\n</${name}>`;
}

interface Piece {
  readonly html: string;
  /** 0-based line its block starts on. */
  readonly lineIndex: number;
}

/** All HTML the text holds, in order; where the probe was swallowed, with the end it will have. */
function htmlIn(tokens: readonly Token[], end: string): Piece[] {
  const pieces: Piece[] = [];
  for (const { type, content, children, map } of tokens) {
    const lineIndex = map?.[0] ?? 0;
    if (type === 'html_block') {
      const at = content.indexOf(PROBE);
      pieces.push({ html: at < 0 ? content : `${content.slice(0, at)}${end}`, lineIndex });
    }
    for (const child of children ?? []) {
      if (child.type === 'html_inline') pieces.push({ html: child.content, lineIndex });
    }
  }
  return pieces;
}
