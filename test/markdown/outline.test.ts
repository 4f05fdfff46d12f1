import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString as plainTextOf } from 'mdast-util-to-string';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { outline } from '../../src/markdown/outline.ts';
import { markdownText } from './generate-markdown.ts';

const lines = (...texts: string[]): Buffer => Buffer.from(`${texts.join('\n')}\n`);
const spans = (bytes: Buffer) =>
  outline(bytes).headings.map(({ line, level, start, end }) => [line, level, start, end]);

describe('outline', () => {
  it('ends a section before the next heading of the same or a higher level, or at the end of the file', () => {
    const file = lines('# A', 'x', '## B', 'x', '### C', '## D', 'x', '# E');
    expect(spans(file)).toEqual([
      [1, 1, 2, 7],
      [3, 2, 4, 5],
      [5, 3, 6, 5],
      [6, 2, 7, 7],
      [8, 1, 9, 8],
    ]);
  });

  it('gives a setext heading the line of its text and a body under its underline', () => {
    expect(spans(lines('Title', '===', '', 'Two', 'lines', '---', 'y'))).toEqual([
      [1, 1, 3, 7],
      [4, 2, 7, 7],
    ]);
  });

  it('sees no heading in frontmatter, code, comments, raw HTML, quotes or lists', () => {
    const file = lines(
      ...['---', '# front', '---', '```', '# fence', '```', '~~~~', '~~~', '# tilde', '~~~~', ''],
      ...['    # indented', '', '<!--', '# comment', '-->', '<pre>', '# raw', '</pre>', ''],
      ...['> # quote', '', '- # item', '', '####### seven', '#none', '\\# escaped'],
    );
    expect(outline(file).headings).toEqual([]);
  });

  it('sees headings with up to three blanks, a tab, closing marks or nothing behind the marks', () => {
    const file = lines('   ## three ##', '#\ttab', '##', '# a #b', '# ends \\#');
    expect(outline(file).headings.map(({ level, text }) => [level, text])).toEqual([
      [2, 'three'],
      [1, 'tab'],
      [2, ''],
      [1, 'a #b'],
      [1, 'ends #'],
    ]);
  });

  it('sees real headings inside details', () => {
    expect(
      outline(lines('<details>', '', '## Inside', '', '</details>')).headings.map(({ text }) => text),
    ).toEqual(['Inside']);
  });

  it('gives the text a reader sees and the anchor GitHub gives', () => {
    const file = lines(
      '## `code` & [link](u.md) **b**',
      '## Straße 1.2!',
      '## Same',
      '## Same',
      '> ## Same',
      '',
      '## Same',
      '## <a id="x"></a>Tag',
    );
    expect(outline(file).headings.map(({ text, slug }) => [text, slug])).toEqual([
      ['code & link b', 'code--link-b'],
      ['Straße 1.2!', 'straße-12'],
      ['Same', 'same'],
      ['Same', 'same-1'],
      ['Same', 'same-3'],
      ['Tag', 'tag'],
    ]);
  });

  it('reads the line under a link definition as more of its paragraph', () => {
    const file = lines(
      '[a]: /u',
      '    Indented',
      '---',
      '',
      '[b]: /u',
      '<br>',
      '# After',
      '',
      '[c]: /u',
      '<br>',
      'Text',
      '===',
    );
    expect(outline(file).headings.map(({ line, level }) => [line, level])).toEqual([
      [2, 2],
      [7, 1],
      [10, 1],
    ]);
    expect(outline(file).headings.map(({ line, level }) => [line, level])).toEqual(
      headingsByOracle(file.toString()).map(([line, level]) => [line, level]),
    );
  });

  it('does not make a heading of a footnote over a thematic break, or of a table', () => {
    expect(outline(lines('[^1]: note', '---', '', 'a | b', '--- | ---')).headings).toEqual([]);
  });

  it('agrees with micromark on the line, level and text of every heading of generated documents', () => {
    fc.assert(
      fc.property(markdownText, text => {
        const found = outline(Buffer.from(text)).headings.map(({ line, level, text: name }) => [
          line,
          level,
          name,
        ]);
        expect(found).toEqual(headingsByOracle(text.replace(/\r\n?/gu, '\n')));
      }),
      { numRuns: 200 },
    );
  });
});

function headingsByOracle(text: string): [number | undefined, number, string][] {
  const tree = fromMarkdown(text, {
    extensions: [gfm(), frontmatter()],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown()],
  });
  return tree.children
    .filter(node => node.type === 'heading')
    .map(node => [
      node.children[0]?.position?.start.line ?? node.position?.start.line,
      node.depth,
      plainTextOf(node, { includeHtml: false, includeImageAlt: false }),
    ]);
}

describe('traps', () => {
  const kinds = (bytes: Buffer) => outline(bytes).traps.map(({ line, kind }) => [line, kind]);

  it.each([
    [['# A', '```', 'x'], [[2, 'unclosed-fence']]],
    [['- a', '  ```', '  x', '', 'out'], [[2, 'unclosed-fence']]],
    [
      ['```md', '```js', 'x', '```', '```'],
      [
        [2, 'doubled-fence'],
        [5, 'unclosed-fence'],
      ].sort(),
    ],
    [['A sentence that ends here.', '---'], [[1, 'accidental-setext']]],
    [['two', 'lines', '---'], [[1, 'accidental-setext']]],
    [['name: x', '---'], [[1, 'accidental-setext']]],
    [['<!-- never', '# closed'], [[1, 'unclosed-comment']]],
    [['<details>', 'x'], [[1, 'unclosed-details']]],
    [['# A', '<details>', '', '# B', '</details>'], [[2, 'straddling-details']]],
    [['---', 'name: x', '# A'], [[1, 'unclosed-frontmatter']]],
  ])('names the traps of %j', (texts, expected) => {
    expect(kinds(lines(...texts))).toEqual(expected);
  });

  it.each([
    [['Title', '---', 'x']],
    [['```js', 'x', '```', '````md', '```js', '```', '````']],
    [['# A', '<details>', '<summary>s</summary>', '', 'x', '', '</details>', '# B']],
    [['a `<details>` and `<!--` in code']],
    [['<!-- closed', '-->', '---', '', 'x']],
    [['---', 'name: x', '---', '# A']],
  ])('finds no trap in %j', texts => {
    expect(kinds(lines(...texts))).toEqual([]);
  });
});
