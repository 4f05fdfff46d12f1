import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { codeSpan } from '../../src/markdown/code-span.ts';
import { maskCodeSpans } from '../../src/markdown/mask-code-spans.ts';

describe('codeSpan', () => {
  it('survives every text: a Markdown parser reads back what went in', () => {
    const inline = fc.string({ unit: fc.constantFrom('`', 'a', ' ', '*', '<', '\\', '@', 'é') });
    fc.assert(
      fc.property(
        inline.filter(text => text.trim() !== ''),
        text => {
          const tree = fromMarkdown(`x ${codeSpan(text)} y`);
          const paragraph = tree.children[0] as unknown as { children: { type: string; value: string }[] };
          expect(paragraph.children.map(({ type }) => type)).toEqual(['text', 'inlineCode', 'text']);
          // One blank at both ends is dropped by the reader when the text itself begins and ends with one.
          const expected = /^ .* $/u.test(text) ? text.slice(1, -1) : text;
          expect(paragraph.children[1]?.value).toBe(expected);
        },
      ),
    );
  });

  it('stays on one line', () => {
    expect(codeSpan('a\nb')).toBe('`a b`');
  });
});

describe('maskCodeSpans', () => {
  it.each([
    ['a `b` c', 'a ` ` c'],
    ['`` a ` b `` <!--', '``       `` <!--'],
    ['`open <!--', '`open <!--'],
    ['\\`a` b `', '\\`a`   `'],
    ['`a\nb`', '` \n `'],
  ])('blanks out the code of %j', (text, masked) => {
    expect(maskCodeSpans(text)).toBe(masked);
  });

  it('keeps the length and the line breaks of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n', '\\', ' ') }), text => {
        const masked = maskCodeSpans(text);
        expect(masked.length).toBe(text.length);
        expect(masked.split('\n').map(line => line.length)).toEqual(
          text.split('\n').map(line => line.length),
        );
      }),
    );
  });
});
