import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { codeSpan } from '../../src/markdown/code-span.ts';
import { renderVerdict } from '../../src/runs/render-reply.ts';
import { renderRows, type StickyRow } from '../../src/runs/render-sticky.ts';

const row = (id: number, state: StickyRow['state'], summary = 'x'): StickyRow => ({
  runId: id.toString(16).padStart(32, '0'),
  state,
  command: '/extract-section',
  login: 'mara',
  summary,
});

function cellsOf(markdown: string): string[][] {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const table = tree.children.find(({ type }) => type === 'table') as
    | { children: { children: unknown[] }[] }
    | undefined;
  return (table?.children ?? []).slice(1).map(line => line.children.map(cell => JSON.stringify(cell)));
}

describe('the table of runs', () => {
  it('puts a new run on top and changes a known one in its place', () => {
    const one = renderRows(undefined, row(1, 'working'));
    const two = renderRows(one, row(2, 'working'));
    const three = renderRows(two, row(1, 'done', 'moved'));
    expect(
      three
        .split('\n')
        .slice(4)
        .map(line => line.split(' | ')[0]),
    ).toEqual(['| \u23f3', '| \u2705']);
    expect(three).toContain('moved');
    expect(three).toBe(renderRows(three, row(1, 'done', 'moved')));
  });

  it('keeps the newest twenty', () => {
    let table: string | undefined;
    for (let id = 1; id <= 30; id += 1) table = renderRows(table, row(id, 'done'));
    expect(cellsOf(table ?? '')).toHaveLength(20);
    expect(table).toContain((30).toString(16).padStart(32, '0'));
    expect(table).not.toContain((10).toString(16).padStart(32, '0'));
  });

  it('stays a table of four columns whatever a summary quotes', () => {
    const hostile = fc.string({ unit: fc.constantFrom('|', '\\', '`', '\n', '<', '>', '-', 'a', '@', '*') });
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const table = renderRows(
          renderRows(undefined, row(1, 'done', codeSpan(a))),
          row(2, 'done', codeSpan(b)),
        );
        expect(cellsOf(table).map(cells => cells.length)).toEqual([4, 4]);
        expect(renderRows(table, row(2, 'done', codeSpan(b)))).toBe(table);
      }),
    );
  });
});

describe('a verdict in an answer', () => {
  it('is one fenced block, and short however long its lists and texts are', () => {
    const verdict = {
      status: 'ok',
      section: '`'.repeat(60_000),
      warnings: Array.from({ length: 5000 }, (_, at) => `w${at}`),
    };
    const text = renderVerdict(verdict);
    expect(text.length).toBeLessThan(20_000);
    const [block, ...more] = fromMarkdown(text).children;
    expect(more).toEqual([]);
    expect(JSON.parse((block as { value: string }).value)).toMatchObject({ status: 'ok' });
  });
});
