import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { parseDocument } from '../../src/markdown/document.ts';

interface Node {
  type: string;
  depth?: number;
  value?: string;
  children?: Node[];
  position: { start: { line: number; offset: number }; end: { line: number; column: number } };
}

const LEAVES: Readonly<Record<string, string>> = {
  heading: 'heading',
  paragraph: 'paragraph',
  html: 'html',
  table: 'table',
  thematicBreak: 'rule',
};

const CONTAINERS: Readonly<Record<string, string>> = {
  blockquote: 'quote',
  list: 'list',
  listItem: 'item',
  footnoteDefinition: 'footnote',
};

/** One line a block: `container>container>kind level first-last`, as micromark and mdast see the text. */
export function blocksByOracle(text: string): string[] {
  const tree = fromMarkdown(text, {
    extensions: [gfm(), frontmatter()],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown()],
  }) as unknown as Node;
  const rows: string[] = [];
  const walk = (node: Node, around: string): void => {
    const container = CONTAINERS[node.type];
    for (const child of node.children ?? []) {
      const kind = child.type === 'code' ? codeKind(text, child) : LEAVES[child.type];
      const inside = container ? `${around}${container}>` : around;
      const last = kind === 'code' ? lastCodeLineOf(text, child) : lastLineOf(child);
      if (kind) rows.push(row(inside, kind, child.depth, firstLineOf(child), last));
      else if (CONTAINERS[child.type]) walk(child, inside);
    }
  };
  walk(tree, '');
  return rows;
}

/** The same rows as our own parser sees the text. */
export function blocksByUs(text: string): string[] {
  const { blocks } = parseDocument(Buffer.from(text, 'utf8'));
  const containers = new Set(Object.values(CONTAINERS));
  return blocks
    .filter(block => !containers.has(block.kind))
    .map(block => {
      let around = '';
      for (let parent = block.parent; parent; parent = parent.parent) around = `${parent.kind}>${around}`;
      return row(around, block.kind, block.level, block.firstLine, block.lastLine);
    });
}

// micromark starts a setext heading at link definitions directly above its text; its text tells where it is.
function firstLineOf(node: Node): number {
  return (node.type === 'heading' && node.children?.[0] ? node.children[0] : node).position.start.line;
}

// A block that nothing closes ends, for micromark, at the start of a line after the last one.
function lastLineOf({ position: { start, end } }: Node): number {
  return end.column === 1 && end.line > start.line ? end.line - 1 : end.line;
}

// Blank lines under an indented code block belong to it for micromark; no block of ours ends with blank lines.
function lastCodeLineOf(text: string, node: Node): number {
  const lines = text.split(/\r\n|\n|\r/u);
  let last = lastLineOf(node);
  while (last > node.position.start.line && lines[last - 1]?.trim() === '') last -= 1;
  return last;
}

function row(around: string, kind: string, level: number | undefined, first: number, last: number): string {
  return `${around}${kind}${level ?? ''} ${first}-${last}`;
}

function codeKind(text: string, node: Node): string {
  return /^[`~]/u.test(text.slice(node.position.start.offset)) ? 'fence' : 'code';
}
