import fc from 'fast-check';
import { remark } from 'remark';
import remarkGfm from 'remark-gfm';
import { describe, expect, it } from 'vitest';
import { findCommandLines } from '../../src/commands/find-command-lines.ts';
import { codeCell, escapeMarkdown } from '../../src/forge/escape-markdown.ts';

type Root = ReturnType<ReturnType<typeof remark>['parse']>;
type Nodes = Root | Root['children'][number];

const parse = (text: string): Root => remark().use(remarkGfm).parse(text);

/** What would act on the finished page, where backslashes and entities are gone. */
const ACTS = [
  /(?:^|[^\w`])@[a-z\d]/i, // a person or a team
  /#\d/, // an issue; with a closing keyword before it, its end
  /\bGH-\d/i,
  /:\/\//, // a link
  /\bwww\./i,
  /[\w.+-]@[\w-]/, // a mail address
];

/** As GitHub shows it, on one line. */
function shownAs(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

function expectPlain(node: Nodes | undefined, expected: string): void {
  const children = node !== undefined && 'children' in node ? node.children : [];
  const text = children.map(child => (child.type === 'text' ? child.value : `<<${child.type}>>`)).join('');
  expect(text.replaceAll('\u200b', '')).toBe(expected);
  for (const acting of ACTS) expect(text).not.toMatch(acting);
}

const snippet = fc.constantFrom(
  '@mara',
  '@acme/team',
  'fixes #1',
  'Closes GH-12',
  'acme/docs#3',
  'https://x.test/a?b=1',
  'www.x.test',
  'HTTP://X.test',
  'ftp://a.b',
  'me@x.test',
  '<!-- skillkeeper:sticky -->',
  '<details>',
  '</td>',
  '/approve all',
  '|',
  '\\|',
  '\\',
  '`',
  '``',
  '```',
  '[a](b)',
  '![a](b)',
  '[^1]',
  '[x]',
  '*a*',
  '__b__',
  '~~c~~',
  '# h',
  '- i',
  '+ j',
  '1. k',
  '2) l',
  '> q',
  '---',
  '===',
  ':---',
  '&amp;',
  '&#64;mara',
  '$x$',
  '<https://x.test>',
  '\n',
  '\r\n',
  '\t',
  '    ',
  ' ',
  '\u202e',
  '\u2028',
  '::',
  'GH-',
);
const text = fc
  .array(fc.oneof(snippet, fc.string({ unit: 'grapheme', maxLength: 6 }), fc.string({ maxLength: 6 })), {
    maxLength: 8,
  })
  .map(parts => parts.join(''))
  .filter(each => !each.includes('\u200b'));

describe('escapeMarkdown', () => {
  it.each([
    ['thanks @mara', 'thanks @&#8203;mara'],
    ['fixes #12', 'fixes \\#&#8203;12'],
    ['see https://x.test', 'see https:&#8203;//x.test'],
    ['/approve all', '&#8203;/approve all'],
    ['a | b', 'a \\| b'],
    ['<!-- hi -->', '&lt;!-- hi --&gt;'],
    ['Phase 11: Code Review', 'Phase 11: Code Review'],
    ['1. First', '1\\. First'],
    ['two\nlines', 'two lines'],
  ])('writes %j as %j', (given, expected) => {
    expect(escapeMarkdown(given)).toBe(expected);
  });

  it('is plain words in a paragraph, at its start and inside it', () => {
    fc.assert(
      fc.property(text, given => {
        const shown = shownAs(given);
        fc.pre(shown !== '');
        const start = parse(escapeMarkdown(given)).children;
        expect(start.map(({ type }) => type)).toEqual(['paragraph']);
        expectPlain(start[0], shown);
        const inside = parse(`Moved ${escapeMarkdown(given)} there`).children;
        expect(inside).toHaveLength(1);
        expectPlain(inside[0], `Moved ${shown} there`);
        const after = parse(`First line\n${escapeMarkdown(given)}\n\nlast`).children;
        expect(after.map(({ type }) => type)).toEqual(['paragraph', 'paragraph']);
      }),
      { numRuns: 1000 },
    );
  });

  it('stays in its cell of a table', () => {
    fc.assert(
      fc.property(text, given => {
        const [table, ...rest] = parse(`| a | b |\n|---|---|\n| ${escapeMarkdown(given)} | end |`).children;
        expect(rest).toEqual([]);
        const cells = table?.type === 'table' ? table.children[1]?.children : undefined;
        expect(cells).toHaveLength(2);
        expectPlain(cells?.[0], shownAs(given));
        expectPlain(cells?.[1], 'end');
      }),
      { numRuns: 1000 },
    );
  });

  it('is no command of ours, wherever it stands', () => {
    fc.assert(
      fc.property(text, given => {
        const body = `${escapeMarkdown(given)}\n\nprose\n${escapeMarkdown(given)}\n`;
        expect(findCommandLines(body).commands).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('codeCell', () => {
  it('shows the text as code, in its cell', () => {
    fc.assert(
      fc.property(text, given => {
        fc.pre(given.trim() !== '' && given === given.trim());
        const [table] = parse(`| a | b |\n|---|---|\n| ${codeCell(given)} | end |`).children;
        const cells = table?.type === 'table' ? (table.children[1]?.children ?? []) : [];
        expect(cells).toHaveLength(2);
        const shown = given.replace(/[\u0000-\u001f\u007f\u2028\u2029]/gu, ' ');
        const [first, ...more] = cells[0]?.children ?? [];
        if (first?.type === 'inlineCode') expect([first.value, more]).toEqual([shown, []]);
        else {
          expect([first, more.at(-1)]).toMatchObject([{ value: '<code>' }, { value: '</code>' }]);
          const inner = more.slice(0, -1).map(each => ('value' in each ? each.value : `<<${each.type}>>`));
          expect(inner.join('').replaceAll('\u200b', '')).toBe(shownAs(given));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
