import { containerPrefix } from '../../markdown/container-prefix.ts';
import { type Document, parseDocument } from '../../markdown/document.ts';
import type { Block } from '../../markdown/parse-blocks.ts';
import { spliceBytes } from '../../markdown/splice.ts';
import { composeSkeleton } from './compose-skeleton.ts';
import { refuse, type Step } from './refusal.ts';
import type { Range } from './resolve-range.ts';

/**
 * Puts the skeleton line in the place of the range and gives the target's new bytes, after reading them again:
 * the line is a paragraph of its own and every block around it is what it was. In a list that goes on, the line
 * is indented to stay inside it; where that does not read right it stands at the margin.
 */
export function placeSkeleton(document: Document, range: Range, line: string): Step<Uint8Array> {
  const prefixes = new Set([containerPrefix(document, findContinued(document, range)), '']);
  let broken = '';
  for (const prefix of prefixes) {
    const bytes = splice(document, range, composeSkeleton(document, range, line, prefix));
    const why = findBreakage(document, range, parseDocument(bytes));
    if (why === undefined) return { kind: 'ok', value: bytes };
    broken = why;
  }
  return refuse(
    'range changes the structure around it',
    `${broken} Choose other anchors, or extract by hand.`,
  );
}

function splice(document: Document, range: Range, skeleton: Uint8Array): Uint8Array {
  const { line, bytes } = document.lines;
  return spliceBytes(bytes, [{ start: line(range.first).start, end: line(range.last).end, bytes: skeleton }]);
}

// The deepest item, quote or footnote that began before the range, holds its first text, and goes on after it:
// itself, or as one of a list that goes on.
function findContinued(document: Document, range: Range): Block | undefined {
  const firstText =
    document.lineTexts.findIndex((text, at) => at >= range.first - 1 && text.trim() !== '') + 1;
  return document.blocks
    .filter(({ kind }) => kind === 'item' || kind === 'quote' || kind === 'footnote')
    .filter(({ firstLine, lastLine }) => firstLine < range.first && lastLine >= firstText)
    .filter(block => lastLineOfWhole(block) > range.last)
    .at(-1);
}

function lastLineOfWhole(block: Block): number {
  return block.kind === 'item' ? (block.parent?.lastLine ?? block.lastLine) : block.lastLine;
}

function findBreakage(before: Document, range: Range, after: Document): string | undefined {
  const skeletonLine = range.first + 1;
  const added = 3 - (range.last < before.lines.count ? 0 : 1);
  const shift = added - (range.last - range.first + 1);
  const isParagraph = after.blocks.some(
    ({ kind, firstLine, lastLine }) =>
      kind === 'paragraph' && firstLine === skeletonLine && lastLine === skeletonLine,
  );
  if (!isParagraph) return 'The line that stands in for the moved text would not be a paragraph of its own.';
  const kept = describe(
    before.blocks.filter(block => !touches(block, range.first, range.last)),
    range.last,
    shift,
  );
  const found = describe(
    after.blocks.filter(block => !touches(block, range.first, range.first + added - 1)),
    Infinity,
    0,
  );
  const at = kept.findIndex((row, index) => row !== found[index]);
  if (at < 0 && kept.length === found.length) return undefined;
  return `Text outside the range would be read differently (${kept[at] ?? found[kept.length] ?? 'a block'}).`;
}

// Leaves that carry structure: where they stand after the move, what they are, and what they stand in.
function describe(blocks: readonly Block[], lastCut: number, shift: number): string[] {
  return blocks
    .filter(({ kind }) => kind === 'heading' || kind === 'fence' || kind === 'html')
    .map(block => {
      const line = block.firstLine > lastCut ? block.firstLine + shift : block.firstLine;
      const source = JSON.stringify(block.source ?? '').slice(0, 60);
      return `${containersOf(block)}${block.kind}${block.level ?? ''} on line ${line}: ${source}`;
    });
}

function containersOf({ parent }: Block): string {
  return parent ? `${containersOf(parent)}${parent.kind} > ` : '';
}

function touches({ firstLine, lastLine }: Block, first: number, last: number): boolean {
  return firstLine <= last && lastLine >= first;
}
