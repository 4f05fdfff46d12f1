import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { outline } from '../../../src/markdown/outline.ts';
import { extractSection } from '../../../src/procedures/extract-section/extract-section.ts';
import { proveIdentity } from '../../../src/procedures/extract-section/prove-identity.ts';
import { verdictSchema } from '../../../src/procedures/extract-section/verdict.ts';
import { applyChanges } from '../../../src/snapshot/apply-changes.ts';
import type { RepoPath } from '../../../src/snapshot/repo-path.ts';
import { markdownText } from '../../markdown/generate-markdown.ts';
import { makeSnapshot } from '../../snapshot/make-snapshot.ts';
import { REFERENCE, TARGET } from './run-extract.ts';

// The byte offsets where lines begin, found without the product's line index.
function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  for (const { index, 0: end } of bytes.toString('latin1').matchAll(/\r\n|\n|\r/gu))
    starts.push(index + end.length);
  return starts;
}

function lineText(bytes: Buffer, starts: readonly number[], lineNumber: number): string {
  const line = bytes.subarray(starts[lineNumber - 1], starts[lineNumber] ?? bytes.length).toString();
  return line.replace(/[\r\n]+$/u, '').replace(/^\ufeff/u, '');
}

const anchors = fc.record({
  pick: fc.nat(),
  start: fc.option(fc.nat(), { nil: undefined }),
  end: fc.option(fc.nat(), { nil: undefined }),
});

describe('for generated documents and any of their sections', () => {
  it('the moved bytes are the removed bytes, and putting them back gives the original', async () => {
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(markdownText, anchors, async (text, { pick, start, end }) => {
        const before = Buffer.from(text);
        const { headings } = outline(before);
        if (headings.length === 0) return;
        const heading = headings[pick % headings.length] as (typeof headings)[number];
        const starts = lineStarts(before);
        const bodyLine = (at: number) =>
          lineText(before, starts, heading.line + (at % (heading.end - heading.line + 1)));
        const snapshot = makeSnapshot({ [TARGET]: before });
        const outcome = await extractSection(snapshot, {
          target: TARGET,
          section: lineText(before, starts, heading.line),
          reference: REFERENCE,
          startAfter: start === undefined ? undefined : bodyLine(start),
          endBefore: end === undefined ? undefined : bodyLine(end),
        });
        expect(verdictSchema.parse(outcome.verdict)).toEqual(outcome.verdict);
        if (outcome.kind !== 'done') {
          expect(outcome).toMatchObject({
            kind: 'refused',
            verdict: { status: 'error', edited_files: [], verbatim_check: 'skipped' },
          });
          return;
        }
        moved += 1;
        const after = applyChanges(snapshot, outcome.changes);
        const target = Buffer.from((await after.read(TARGET as RepoPath)) ?? []);
        const reference = Buffer.from((await after.read(REFERENCE as RepoPath)) ?? []);
        const range = outcome.verdict.range as { start: number; end: number };
        const from = starts[range.start - 1] as number;
        const to = starts[range.end] ?? before.length;
        const removed = before.subarray(from, to);
        // The header has four lines, whatever ends them.
        const headerEnd = lineStarts(reference)[4] as number;
        expect(reference.subarray(headerEnd).equals(removed)).toBe(true);
        const rest = target.length - (before.length - to);
        const putBack = Buffer.concat([
          target.subarray(0, from),
          reference.subarray(headerEnd),
          target.subarray(rest),
        ]);
        expect(putBack.equals(before)).toBe(true);
        expect(outcome.verdict.extracted_chars).toBe([...removed.toString()].length);
        expect(outcome.verdict.target_chars_after).toBe([...target.toString()].length);
        expectSameHeadings(headings, outline(target).headings, range);
      }),
      { numRuns: 2000 },
    );
    expect(moved).toBeGreaterThan(150);
  });
});

type Headings = ReturnType<typeof outline>['headings'];

// Every heading outside the range is still there, with the same text and level, and none came to be.
function expectSameHeadings(before: Headings, after: Headings, range: { start: number; end: number }): void {
  const kept = before.filter(({ line }) => line < range.start || line > range.end);
  const name = ({ level, text }: Headings[number]) => [level, text];
  expect(after.map(name)).toEqual(kept.map(name));
}

describe('proveIdentity', () => {
  const header = Buffer.from('# T\n\nx\n\n');
  const move = (body: string) => ({
    before: Buffer.from(`head\n${body}tail`),
    start: 5,
    end: 5 + Buffer.byteLength(body),
    header,
    reference: Buffer.concat([header, Buffer.from(body)]),
    after: Buffer.from('head\nSKELETON\ntail'),
  });

  it('accepts a true move', () => {
    expect(proveIdentity(move('body\r\n\n é\n'))).toBe('identical');
  });

  it('notices any single changed, lost or added byte in either file', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom('reference', 'after'),
        fc.constantFrom('change', 'drop', 'add'),
        (seed, flip, which, how) => {
          const good = move('some body\nof lines\n');
          const bytes = Buffer.from(good[which as 'reference' | 'after']);
          // Inside the header or the skeleton bytes may be what they like.
          const places =
            which === 'reference'
              ? range(header.length, bytes.length)
              : [...range(0, 5), ...range(how === 'add' ? 15 : 14, bytes.length)];
          const at = places[seed % places.length] as number;
          const bad = damage(bytes, at, flip, how as 'change' | 'drop' | 'add');
          expect(proveIdentity({ ...good, [which]: bad })).toBe('mismatch');
        },
      ),
    );
  });
});

function damage(bytes: Buffer, at: number, flip: number, how: 'change' | 'drop' | 'add'): Buffer {
  const wrong = Buffer.from([(bytes[at] ?? 0) ^ flip]);
  return Buffer.concat([
    bytes.subarray(0, at),
    how === 'drop' ? Buffer.alloc(0) : wrong,
    bytes.subarray(how === 'add' ? at : at + 1),
  ]);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

describe('the moved text on its own', () => {
  it('still reads as the same headings in the reference when whole sections move', async () => {
    const text = '# X\n\n## Move\n\nintro\n\n### A\n\n```\n# no\n```\n\n### B\n\n## Next\n';
    const outcome = await extractSection(makeSnapshot({ [TARGET]: text }), {
      target: TARGET,
      section: '## Move',
      reference: REFERENCE,
    });
    if (outcome.kind !== 'done') throw new Error(outcome.verdict.detail);
    const [reference] = outcome.changes;
    if (reference?.kind !== 'put') throw new Error('no reference');
    const headings = fromMarkdown(Buffer.from(reference.bytes).toString()).children.filter(
      ({ type }) => type === 'heading',
    );
    expect(headings.length).toBe(3);
  });
});
