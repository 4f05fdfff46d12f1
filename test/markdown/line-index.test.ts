import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dominantTerminator, indexLines, sliceLines } from '../../src/markdown/line-index.ts';
import { markdownText } from './generate-markdown.ts';

const textOf = (text: string, lineNumber: number): string => {
  const bytes = Buffer.from(text);
  const { textStart, textEnd } = indexLines(bytes).line(lineNumber);
  return bytes.subarray(textStart, textEnd).toString();
};

describe('indexLines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['a\r\nb\r\n', 2],
    ['a\rb\r', 2],
    ['\n\n', 2],
    ['a\r\r\nb', 3],
    ['\ufeff', 1],
  ])('counts the lines of %j as %i', (text, count) => {
    expect(indexLines(Buffer.from(text)).count).toBe(count);
  });

  it('keeps terminators and the byte order mark out of the text of a line', () => {
    expect(textOf('\ufeff# One\r\ntwo\rthree\nfour', 1)).toBe('# One');
    expect(textOf('\ufeff# One\r\ntwo\rthree\nfour', 2)).toBe('two');
    expect(textOf('\ufeff# One\r\ntwo\rthree\nfour', 3)).toBe('three');
    expect(textOf('\ufeff# One\r\ntwo\rthree\nfour', 4)).toBe('four');
  });

  it('refuses line numbers that do not exist', () => {
    const index = indexLines(Buffer.from('a\nb\n'));
    for (const lineNumber of [0, -1, 3]) expect(() => index.line(lineNumber)).toThrow(RangeError);
  });

  it('accounts for every byte of any file', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          markdownText.map(text => Buffer.from(text)),
          fc.uint8Array(),
        ),
        bytes => {
          const index = indexLines(bytes);
          const lines = Array.from({ length: index.count }, (_, at) => sliceLines(index, at + 1, at + 1));
          expect(Buffer.concat(lines).equals(bytes)).toBe(true);
        },
      ),
    );
  });

  it('splits where a plain split at LF, CRLF and CR does', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '\n', '\r', '\r\n', '')), parts => {
        const text = parts.join('');
        const expected = text.split(/\r\n|\n|\r/u);
        if (expected.at(-1) === '') expected.pop();
        const index = indexLines(Buffer.from(text));
        expect(Array.from({ length: index.count }, (_, at) => textOf(text, at + 1))).toEqual(expected);
      }),
    );
  });
});

describe('dominantTerminator', () => {
  it.each([
    ['a\nb\n', '\n'],
    ['a\r\nb\r\n', '\r\n'],
    ['a\r\nb\r\nc\n', '\r\n'],
    ['a\r\nb\n', '\n'],
    ['a\rb\r', '\n'],
    ['a', '\n'],
  ])('of %j is %j', (text, terminator) => {
    expect(dominantTerminator(indexLines(Buffer.from(text)))).toBe(terminator);
  });
});
