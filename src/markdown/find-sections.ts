import GithubSlugger from 'github-slugger';
import type { Document } from './document.ts';
import type { Block } from './parse-blocks.ts';

/** A heading that stands at the top level of its file and the section it opens. Lines are 1-based, inclusive. */
export interface Section {
  /** First line of the heading's text (of a setext heading not its underline). */
  readonly headingFirstLine: number;
  /** Last line of the heading (of a setext heading its underline). */
  readonly headingLastLine: number;
  readonly level: 1 | 2 | 3 | 4 | 5 | 6;
  readonly style: 'atx' | 'setext';
  /** The heading's Markdown source, without its markers. */
  readonly source: string;
  /** What a reader sees of it: code, emphasis and links reduced to their text. */
  readonly text: string;
  /** The anchor GitHub gives it, `-1`, `-2`, ... appended to repeated ones. */
  readonly slug: string;
  /** First line of the body; the body is empty when this is past `end`. */
  readonly start: number;
  /** Last line of the body: the line before the next heading of the same or a higher level, or the last line. */
  readonly end: number;
}

/**
 * The sections of a document in order, one for each heading at the top level. Headings inside quotes, lists
 * and footnotes open no section, but count for the slugs.
 */
export function findSections(document: Document): Section[] {
  const slugger = new GithubSlugger();
  const headings = document.blocks
    .filter(block => block.kind === 'heading')
    .map(block => ({ block, ...nameHeading(document, slugger, block) }))
    .filter(({ block }) => block.parent === undefined);
  const ends = findEnds(
    headings.map(({ block }) => block),
    document.lines.count,
  );
  return headings.map(({ block, text, slug }, at) => ({
    headingFirstLine: block.firstLine,
    headingLastLine: block.lastLine,
    level: block.level ?? 1,
    style: block.style ?? 'atx',
    source: block.source ?? '',
    text,
    slug,
    start: block.lastLine + 1,
    end: ends[at] ?? document.lines.count,
  }));
}

function nameHeading(
  document: Document,
  slugger: GithubSlugger,
  block: Block,
): { text: string; slug: string } {
  const text = document.plainText(block.source ?? '');
  return { text, slug: slugger.slug(text) };
}

// From the last heading back: the stack holds the headings below that still can end a section, nearest on top.
function findEnds(headings: readonly Block[], lastLine: number): number[] {
  const ends: number[] = [];
  const below: Block[] = [];
  for (let at = headings.length - 1; at >= 0; at -= 1) {
    const heading = headings[at] as Block;
    while (below.length > 0 && levelOf(below.at(-1)) > levelOf(heading)) below.pop();
    ends[at] = below.length > 0 ? (below.at(-1) as Block).firstLine - 1 : lastLine;
    below.push(heading);
  }
  return ends;
}

function levelOf(block: Block | undefined): number {
  return block?.level ?? 1;
}
