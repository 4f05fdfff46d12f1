import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCodePoints, decodeText } from '../../src/markdown/decode-text.ts';

describe('decodeText', () => {
  it('keeps the byte order mark', () => {
    expect(decodeText(Buffer.from('\ufeffa'))).toEqual({ kind: 'text', text: '\ufeffa' });
  });

  it.each([
    [Buffer.from('one\ntwo\0\n'), 'NUL', 2],
    [Buffer.from([0x61, 0x0a, 0x62, 0x0a, 0xc3, 0x28]), 'invalid UTF-8', 3],
    [Buffer.from([0x61, 0x0a, 0xf0, 0x9f, 0x98]), 'invalid UTF-8', 2],
    [Buffer.from([0xff, 0xfe, 0x61]), 'invalid UTF-8', 1],
    [Buffer.from([0xed, 0xa0, 0x80]), 'invalid UTF-8', 1],
  ])('names the line of what is not text in %j', (bytes, fault, lineNumber) => {
    expect(decodeText(bytes)).toEqual({ kind: 'not-text', fault, lineNumber });
  });
});

describe('countCodePoints', () => {
  it('counts code points, not UTF-16 units and not bytes', () => {
    expect(countCodePoints('é😀e\u0301\n')).toBe(5);
  });

  it('agrees with iteration over the string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(countCodePoints(text)).toBe([...text].length);
      }),
    );
  });
});
