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
  position: {
    start: { line: number; column: number; offset: number };
    end: { line: number; column: number };
  };
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
export function blocksByOracle(whole: string): string[] {
  const text = whole.replace(/^\ufeff/u, ''); // micromark drops it, and its offsets count from behind it
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
      if (kind) rows.push(row(inside, kind, child.depth, firstLineOf(child), endOf(text, kind, child)));
      else if (CONTAINERS[child.type]) walk(child, inside);
    }
  };
  walk(tree, '');
  return mergeCode(rows);
}

// micromark ends indented code where a container starts anew although nothing stands between.
function mergeCode(rows: readonly string[]): string[] {
  const merged: string[] = [];
  for (const next of rows) {
    const last = merged.at(-1) ?? '';
    const around = next.slice(0, next.lastIndexOf('code '));
    if (/code \d/u.test(next) && last.startsWith(`${around}code `)) {
      merged[merged.length - 1] = last.replace(/\d+$/u, /\d+$/u.exec(next)?.[0] ?? '');
    } else merged.push(next);
  }
  return merged;
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
      const end = block.closed === false ? 'open' : block.lastLine;
      return row(around, block.kind, block.level, block.firstLine, end);
    });
}

// micromark starts a setext heading at link definitions directly above its text; its text tells where it is.
function firstLineOf(node: Node): number {
  return (node.type === 'heading' && node.children?.[0] ? node.children[0] : node).position.start.line;
}

// Where a container's end ends an unclosed fence or comment, micromark's position runs into the next block.
function endOf(text: string, kind: string, node: Node): number | 'open' {
  const lines = text.split(/\r\n|\n|\r/u);
  const { start, end } = node.position;
  const closer = (lines[end.line - 1] ?? '').slice(0, end.column - 1);
  const opener = /(`{3,}|~{3,})/u.exec((lines[start.line - 1] ?? '').slice(start.column - 1))?.[0] ?? '';
  const isCloser = new RegExp(`(^|[ \\t>])[${opener[0]}]{${opener.length},}[ \\t]*$`, 'u').test(closer);
  const contentLines = (node.value ?? '') === '' ? 0 : (node.value ?? '').split('\n').length;
  const isClosed = isCloser && end.line - start.line - 1 >= contentLines && end.line > start.line;
  if (kind === 'fence' && !isClosed) return 'open';
  if (kind === 'html' && isUnclosed((node.value ?? '').trimStart())) return 'open';
  if (kind === 'html' && /^<script/u.test(node.value ?? '') && !node.value?.includes('</script>'))
    return 'open';
  return lastLineOf(lines, node);
}

function isUnclosed(html: string): boolean {
  if (/^<!--/u.test(html)) return !html.includes('-->');
  return /^<(?:script|style|pre|textarea)/iu.test(html) && !/<\/(?:script|style|pre|textarea)>/iu.test(html);
}

// No block of ours ends with blank lines; for micromark unclosed fences, comments and indented code may.
function lastLineOf(lines: readonly string[], { position: { start, end } }: Node): number {
  let last = end.line;
  while (last > start.line && /^[\s>]*$/u.test(lines[last - 1] ?? '')) last -= 1;
  return last;
}

function row(
  around: string,
  kind: string,
  level: number | undefined,
  first: number,
  last: number | 'open',
): string {
  return `${around}${kind}${level ?? ''} ${first}-${last}`;
}

function codeKind(text: string, node: Node): string {
  return /^[`~]/u.test(text.slice(node.position.start.offset)) ? 'fence' : 'code';
}
