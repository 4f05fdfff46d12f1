import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spliceBytes } from '../../src/markdown/splice.ts';

describe('spliceBytes', () => {
  it('replaces, removes and inserts in one pass', () => {
    const edits = [
      { start: 0, end: 0, bytes: Buffer.from('>') },
      { start: 1, end: 3, bytes: Buffer.from('-') },
      { start: 5, end: 6, bytes: Buffer.alloc(0) },
    ];
    expect(Buffer.from(spliceBytes(Buffer.from('abcdef'), edits)).toString()).toBe('>a-de');
  });

  it.each([
    [[{ start: 2, end: 1 }]],
    [[{ start: 0, end: 7 }]],
    [
      [
        { start: 2, end: 4 },
        { start: 3, end: 5 },
      ],
    ],
  ])('refuses edits out of order or outside the file: %j', ranges => {
    const edits = ranges.map(range => ({ ...range, bytes: Buffer.alloc(0) }));
    expect(() => spliceBytes(Buffer.from('abcdef'), edits)).toThrow(RangeError);
  });

  it('is undone by the opposite splice', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.nat(), fc.nat(), (original, bytes, a, b) => {
        const [start, end] = [a % (original.length + 1), b % (original.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const after = spliceBytes(original, [{ start, end, bytes }]);
        const back = spliceBytes(after, [
          { start, end: start + bytes.length, bytes: original.subarray(start, end) },
        ]);
        expect(Buffer.compare(back, original)).toBe(0);
      }),
    );
  });
});
