import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownText } from './generate-markdown.ts';
import { blocksByOracle, blocksByUs } from './read-with-oracle.ts';

const spec = createRequire(import.meta.url)('commonmark-spec') as {
  tests: readonly { markdown: string; number: number; section: string }[];
};

describe('block structure agrees with micromark', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('on every example of the CommonMark specification, with %s', (_name, terminator) => {
    expect(spec.tests.length).toBeGreaterThan(600);
    for (const { markdown, number } of spec.tests) {
      const text = markdown.replaceAll('\u2192', '\t').replaceAll('\n', terminator);
      expect(blocksByUs(text), `example ${number}`).toEqual(blocksByOracle(text));
    }
  });

  it('on generated documents', () => {
    fc.assert(
      fc.property(markdownText, text => {
        expect(structureOf(blocksByUs(text))).toEqual(structureOf(blocksByOracle(text)));
      }),
      { numRuns: 400 },
    );
  });
});

// Where nested indented code and unclosed blocks end is a matter of positions, on which micromark is no oracle.
function structureOf(rows: readonly string[]): string[] {
  return rows.filter(row => !/code \d/u.test(row)).map(row => row.replace(/-\d+$/u, ''));
}
