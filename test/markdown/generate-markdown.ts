import fc from 'fast-check';

type Lines = string[];

const word = fc.constantFrom(
  'alpha',
  'Beta',
  'é😀',
  'gamma_delta',
  '`code`',
  '**bold**',
  '[link](u.md)',
  '<kbd>K</kbd>',
  '#5',
  '1.',
  '-',
);
// Never a list marker first: an item made of nothing but another marker is where parsers part ways.
const words = fc.array(word, { maxLength: 4 }).map(list => ['alpha', ...list].join(' '));

const heading = fc.tuple(
  fc.integer({ min: 1, max: 6 }),
  words,
  fc.constantFrom('', ' ##', '  '),
  fc.constantFrom('', ' ', '   '),
);
const atx = heading.map(([level, text, tail, indent]) => [`${indent}${'#'.repeat(level)} ${text}${tail}`]);
const setext = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 2 }), fc.constantFrom('===', '---', '-', '  ===='))
  .map(([lines, underline]) => [...lines, underline]);
const paragraph = fc.array(words, { minLength: 1, maxLength: 3 });
const fenced = fc
  .tuple(
    fc.constantFrom('```', '~~~', '````', '~~~~~'),
    fc.constantFrom('', 'js', ' md x'),
    fc.array(fc.constantFrom('# not', '```', '~~~', '', 'x = 1', '---', '<!--'), { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([fence, info, body, isClosed]) => [fence + info, ...body, ...(isClosed ? [fence] : [])]);
const indented = fc
  .array(words, { minLength: 1, maxLength: 2 })
  .map(lines => lines.map(line => `    ${line}`));
const html = fc.constantFrom<Lines>(
  ['<!-- one line -->'],
  ['<!--', '# hidden', '', '-->'],
  ['<div>', '# raw', '</div>'],
  ['<details>', '<summary>s</summary>', '', '## inside', '', '</details>'],
  ['<script>', '', '# raw', '</script>'],
  ['', '<span>', 'x'],
);
const table = fc.constantFrom<Lines>(
  ['| a | b |', '|---|---|', '| 1 | 2 |', ''],
  ['a | b', ':- | -:', '1 | 2', ''],
);
const other = fc.constantFrom<Lines>(
  ['---'],
  ['* * *'],
  ['[ref]: /url "t"'],
  ['[ref]: /url', '    indented'],
  ['[^1]: note', '---'],
  ['[^2]: note', '', '    more'],
  [''],
  ['', ''],
);

const leaf: fc.Arbitrary<Lines> = fc.oneof(
  { arbitrary: atx, weight: 4 },
  { arbitrary: setext, weight: 2 },
  { arbitrary: paragraph, weight: 4 },
  { arbitrary: fenced, weight: 3 },
  { arbitrary: indented, weight: 1 },
  { arbitrary: html, weight: 2 },
  { arbitrary: table, weight: 1 },
  { arbitrary: other, weight: 2 },
);

const sequence = (block: fc.Arbitrary<Lines>, maxLength: number): fc.Arbitrary<Lines> =>
  fc
    .array(fc.tuple(block, fc.boolean()), { minLength: 1, maxLength })
    .map(blocks => blocks.flatMap(([lines, gap]) => (gap ? [...lines, ''] : lines)));

// An item may be empty at first, but whether it then interrupts a paragraph elsewhere is where parsers part ways.
const dropLeadingBlanks = (lines: Lines): Lines => {
  const first = lines.findIndex(line => line.trim() !== '');
  return first < 0 ? ['alpha'] : lines.slice(first);
};

const nest = (marker: string, indent: string) => (lines: Lines) =>
  dropLeadingBlanks(lines).map((line, at) => (at === 0 ? marker : line === '' ? '' : indent) + line);

const { block } = fc.letrec<{ block: Lines }>(tie => ({
  block: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'markdown' },
    { arbitrary: leaf, weight: 8 },
    sequence(tie('block'), 3).map(lines => lines.map(line => `> ${line}`)),
    sequence(tie('block'), 3).map(nest('- ', '  ')),
    sequence(tie('block'), 3).map(nest('1. ', '   ')),
  ),
}));

const terminators = fc.constantFrom(['\n'], ['\r\n'], ['\n', '\r\n'], ['\r']);

// Lines of Markdown without terminators: containers nested in each other, everything that looks like a heading.
const markdownLines: fc.Arbitrary<Lines> = sequence(block, 8);

/** Whole documents: frontmatter, byte order mark, mixed terminators, with and without a final one. */
export const markdownText: fc.Arbitrary<string> = fc
  .tuple(
    markdownLines,
    terminators,
    fc.boolean(),
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom<Lines>([], ['---', 'name: x', '# c', '---']),
  )
  .map(([lines, ends, hasFinal, bom, frontmatter]) => {
    // A `---` on line 1 that nothing closes makes micromark's frontmatter extension miss containers below it.
    const all = [...(frontmatter.length > 0 || lines[0] !== '---' ? frontmatter : ['']), ...lines];
    // Numbered, so that most lines stand once and can serve as anchors.
    // Numbered, so that most lines stand once and can serve as anchors.
    const body = all
      .map((line, at) => line.replace('alpha', `alpha${at}`))
      .map((line, at) => line.replace('alpha', `alpha${at}`))
      .map((line, at) => line + (at < all.length - 1 || hasFinal ? ends[at % ends.length] : ''))
      .join('');
    return bom + body;
  });
