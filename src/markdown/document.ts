import { decodeUtf8 } from './decode-text.ts';
import { type Frontmatter, findFrontmatter } from './find-frontmatter.ts';
import { hasBom, indexLines, type LineIndex } from './line-index.ts';
import { type Block, parseBlocks } from './parse-blocks.ts';

/** A Markdown file, read once: its lines to the byte and its block structure. */
export interface Document {
  readonly lines: LineIndex;
  /** Text of each line, without terminator and byte order mark; index 0 is line 1. */
  readonly lineTexts: readonly string[];
  readonly frontmatter: Frontmatter | undefined;
  /** True when line 1 opens frontmatter that nothing closes. */
  readonly unclosedFrontmatter: boolean;
  /** Every block outside the frontmatter, containers before what they hold. */
  readonly blocks: readonly Block[];
  /** The text a reader sees of a piece of inline Markdown of this document. */
  readonly plainText: (inlineSource: string) => string;
  /** A piece of inline Markdown with its links and images reduced to their text, everything else kept. */
  readonly withoutLinks: (inlineSource: string) => string;
}

/** Reads the bytes of a Markdown file. Bytes that are not UTF-8 are read as U+FFFD; ask `decodeText` first. */
export function parseDocument(bytes: Uint8Array): Document {
  const lines = indexLines(bytes);
  const lineTexts = splitTexts(lines);
  const found = findFrontmatter(lineTexts);
  const frontmatter = found.kind === 'found' ? found.frontmatter : undefined;
  const structure = parseBlocks(frontmatter ? blankOut(lineTexts, frontmatter.lastLine) : lineTexts);
  return {
    lines,
    lineTexts,
    frontmatter,
    unclosedFrontmatter: found.kind === 'unclosed',
    blocks: structure.blocks,
    plainText: structure.plainText,
    withoutLinks: structure.withoutLinks,
  };
}

// Cut at the same places as the line index: no terminator is ever part of a longer UTF-8 sequence.
function splitTexts(lines: LineIndex): string[] {
  const texts = decodeUtf8(lines.bytes).split(/\r\n|\n|\r/u);
  texts.length = lines.count;
  if (hasBom(lines.bytes) && texts[0] !== undefined) texts[0] = texts[0].slice(1);
  return texts;
}

function blankOut(lineTexts: readonly string[], count: number): string[] {
  return lineTexts.map((text, at) => (at < count ? '' : text));
}
