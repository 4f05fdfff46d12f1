import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { type BodySize, CHECK_SIZE, COMMENT_SIZE, fitBody } from '../../src/forge/fit-body.ts';
import { openElements } from '../../src/forge/open-elements.ts';

const parse = (text: string) =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

const TAIL = 'the footer\n\n<!-- skillkeeper:sticky -->';
const small = (limit: number): BodySize => ({ limit, count: text => text.length });

/** Raw HTML in document order, as micromark sees it. */
function htmlOf(text: string): string[] {
  const pieces: string[] = [];
  const visit = (node: { type: string; value?: string; children?: unknown[] }): void => {
    if (node.type === 'html') pieces.push(`${node.value ?? ''}\n`); // as it is rendered
    for (const child of (node.children ?? []) as (typeof node)[]) visit(child);
  };
  visit(parse(text));
  return pieces;
}

/** The last blocks at the top level are the notice, the footer and the marker; no element is open around them. */
function expectNothingOpen(fitted: string, wasCut: boolean): void {
  const { children } = parse(fitted);
  const [marker, footer, notice] = children.slice(-3).reverse();
  expect(marker).toMatchObject({ type: 'html', value: '<!-- skillkeeper:sticky -->' });
  expect(footer).toMatchObject({ type: 'paragraph', children: [{ type: 'text', value: 'the footer' }] });
  if (wasCut) expect(notice).toMatchObject({ type: 'paragraph', children: [{ type: 'emphasis' }] });
  expect(openElements(htmlOf(fitted))).toEqual({ open: [] });
}

describe('fitBody', () => {
  it('leaves alone what fits', () => {
    const body = '# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nx\n```';
    expect(fitBody(body, COMMENT_SIZE)).toBe(body);
    expect(fitBody(body, COMMENT_SIZE, { tail: TAIL })).toBe(`${body}\n\n${TAIL}`);
  });

  it.each([
    ['a fence', `text\n\n~~~~md\n${'```\nline\n'.repeat(400)}`, /\n~~~~\n\n_Cut here/],
    ['a fence in a list', `- item\n\n  \`\`\`\n${'  line\n'.repeat(400)}`, / {2}line\n\n_Cut here/],
    ['a comment', `<!-- hidden\n${'line\n\n'.repeat(400)}`, /\n-->\n\n_Cut here/],
    [
      'details with a table',
      `<details><summary>More</summary>\n\n| a |\n|---|\n${'| row |\n'.repeat(400)}\n</details>`,
      /\| row \|\n\n<\/details>\n\n_Cut here/,
    ],
    [
      'a fence in details in details',
      `<details>\n<details>\n\n\`\`\`\`json\n${'{"a": 1}\n'.repeat(400)}`,
      /\n````\n\n<\/details>\n<\/details>\n\n_Cut here/,
    ],
    ['a giant line', 'x'.repeat(5000), /x\n\n_Cut here: 4 ?\d\d\d more characters did not fit\._/],
  ])('closes %s where it cuts', (_, body, expected) => {
    const fitted = fitBody(body, small(700), { tail: TAIL });
    expect(fitted.length).toBeLessThanOrEqual(700);
    expect(fitted).toMatch(expected);
    expect(fitted.length).toBeGreaterThan(350);
    expectNothingOpen(fitted, true);
  });

  it('closes what the body left open even when nothing is cut', () => {
    const fitted = fitBody('<details>\n\n```\nopen', COMMENT_SIZE, { tail: TAIL });
    expect(fitted).toBe(`<details>\n\n\`\`\`\nopen\n\`\`\`\n\n</details>\n\n${TAIL}`);
  });

  it('goes back before a tag that the cut would break', () => {
    const fitted = fitBody(`start\n\n<div title="${'words\n'.repeat(300)}">`, small(500), { tail: TAIL });
    expect(fitted).toMatch(/^start\n\n_Cut here/);
    expectNothingOpen(fitted, true);
  });

  it('leaves no table head without its rule', () => {
    const body = `${'word '.repeat(70)}\n\n| one | two | three |\n| --- | --- | --- |\n${'| 1 | 2 | 3 |\n'.repeat(99)}`;
    for (let limit = 440; limit < 560; limit += 1) {
      const fitted = fitBody(body, small(limit), { tail: TAIL });
      const starts = parse(fitted).children.map(({ type, position }) => {
        const offset = position?.start.offset ?? 0;
        return `${type} ${fitted.slice(offset, offset + 5)}`;
      });
      expect(starts).not.toContain('paragraph | one');
    }
  });

  it('says how much was cut and where the rest is', () => {
    const fitted = fitBody('line\n'.repeat(30_000), COMMENT_SIZE, {
      rest: 'All of it: [run](https://x.test).',
    });
    const [, kept = '', count] = /^((?:line\n)*line)\n\n_Cut here: ([\d ]+) more/.exec(fitted) ?? [];
    expect(kept.length + Number(count?.replaceAll(' ', ''))).toBe(150_000);
    expect(fitted).toMatch(/did not fit\._ All of it: \[run\]\(https:\/\/x\.test\)\.$/);
    expect(fitted.length).toBeGreaterThan(65_300);
  });

  it('counts bytes for a check and never halves a character', () => {
    const fitted = fitBody('😀'.repeat(40_000), CHECK_SIZE);
    expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(65_535);
    expect(Buffer.byteLength(fitted)).toBeGreaterThan(65_400);
    expect(fitted.isWellFormed()).toBe(true);
    const comment = fitBody(`a${'😀'.repeat(40_000)}`, COMMENT_SIZE);
    expect([comment.isWellFormed(), comment.length <= 65_536]).toEqual([true, true]);
  });

  it('keeps what it can of elements in elements in elements', () => {
    const fitted = fitBody('<b>'.repeat(50_000), COMMENT_SIZE, { tail: TAIL });
    expect(fitted.length).toBeGreaterThan(64_000);
    expectNothingOpen(fitted, true);
  });

  it('refuses a tail that does not fit by itself', () => {
    expect(() => fitBody('x'.repeat(100), small(50), { tail: 'y'.repeat(60) })).toThrow(RangeError);
  });

  it('is quick with hostile text', () => {
    const started = performance.now();
    for (const unit of [
      '<b>',
      '<!-- ',
      '[',
      '*a ',
      '> ',
      '- ',
      '`',
      '<a href="',
      '|',
      '<details>\n',
      '```\n',
      '&',
    ]) {
      fitBody(unit.repeat(200_000 / unit.length), COMMENT_SIZE, { tail: TAIL });
    }
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '```',
      '````js',
      '~~~',
      '<details>',
      '</details>',
      '<summary>S</summary>',
      '<!--',
      '-->',
      '<!-- whole -->',
      '| a | b |',
      '|---|---|',
      '- item',
      '  ```',
      '> quote',
      '> ```',
      '    code',
      '<div class="',
      '">',
      '<pre>',
      '</pre>',
      '<b>',
      '</b>',
      '<sub>x',
      '<?php',
      '<![CDATA[',
      '<!X',
      '',
      '',
      '1. one',
      '- <!--',
      '- <details>',
      '`code',
      '<br>',
      '[x]: /y',
      '# head',
      '---',
      '$$',
      '<script>',
      '<td>',
      'a <i title="b',
      '<textarea>',
    ),
    fc.string({
      unit: fc.constantFrom('a', '😀', '<', '>', '`', '-', '!', '|', ' ', '"', '~', '\\', '/', '\t'),
      maxLength: 14,
    }),
  );
  const body = fc.array(piece, { maxLength: 60 }).map(pieces => pieces.join('\n'));

  // A lone `<b>` that continues the paragraph of a list or quote: no two parsers agree on what the next line is.
  const LAZY_TAG =
    /^[ \t]*(?:[->]|\d\.).*\n(?:.*\S.*\n)*?[ \t]*<\/?(?!details|summary|div|td)[a-z].*>[ \t]*$/im;

  it('leaves nothing open, whatever it is given and wherever it cuts', () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 160, max: 700 }), (text, limit) => {
        fc.pre(!LAZY_TAG.test(text));
        const fitted = fitBody(text, small(limit), { tail: TAIL });
        expect(fitted.length).toBeLessThanOrEqual(limit);
        expect(fitted.endsWith(TAIL)).toBe(true);
        const notice = /(?:^|\n\n)_Cut here: ([\d ]+) more characters did not fit\._\n\nthe footer/.exec(
          fitted,
        );
        const gone = Number(notice?.[1]?.replaceAll(' ', '') ?? 0);
        expect(fitted.startsWith([...text].slice(0, [...text].length - gone).join(''))).toBe(true);
        expectNothingOpen(fitted, notice !== null);
      }),
      { numRuns: 1000 },
    );
  });
});
