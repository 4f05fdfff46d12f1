import { describe, expect, it } from 'vitest';
import { verdictSchema } from '../../../src/procedures/extract-section/verdict.ts';
import { lines, REFERENCE, runExtract, TARGET } from './run-extract.ts';

const HEADER_TAIL =
  'Content is verbatim-extracted, retaining its original numbering and indentation. Unqualified `§ <Heading>` references and `sub-step N` references resolve to `SKILL.md`.';

const skeleton = (title: string, path = 'references/moved.md') =>
  `The full text of ${title} is in a reference file. Read ${path} and follow the procedure from top to bottom.`;

describe('extractSection', () => {
  it('moves the body, writes the header block and leaves heading and pointer', async () => {
    const target = lines(
      '---',
      'name: x',
      '---',
      '# X',
      '',
      '## Phase 11: Code Review',
      '',
      'One é😀.',
      '',
      '### Inner',
      '',
      'Two.',
      '',
      '## Next',
      '',
      'end',
    );
    const { kind, text, verdict } = await runExtract(target, { section: '## Phase 11: Code Review' });
    expect(kind).toBe('done');
    expect(await text(REFERENCE)).toBe(
      lines(
        '# Code Review (extracted from `SKILL.md` Phase 11: Code Review)',
        '',
        `Deep reference for \`SKILL.md\` **Phase 11: Code Review**. ${HEADER_TAIL}`,
        ...['', '', 'One é😀.', '', '### Inner', '', 'Two.', ''],
      ),
    );
    expect(await text(TARGET)).toBe(
      lines(
        '---',
        'name: x',
        '---',
        '# X',
        '',
        '## Phase 11: Code Review',
        '',
        skeleton('Code Review'),
        '',
        '## Next',
        '',
        'end',
      ),
    );
    // Body: \n, "One é😀.\n", \n, "### Inner\n", \n, "Two.\n", \n = 1+8+1+10+1+5+1 code points; é is 2 bytes, 😀 is 4.
    expect(verdict).toMatchObject({
      status: 'ok',
      target_file: TARGET,
      section: '## Phase 11: Code Review',
      reference_file: REFERENCE,
      extracted_chars: 27,
      extracted_bytes: 31,
      target_chars_before: 86,
      target_chars_after: 86 - 27 + 125, // the pointer line has 122 characters, three line feeds around it
      verbatim_check: 'identical',
      edited_files: [REFERENCE, TARGET],
      range: { start: 7, end: 13 },
      moved_headings: ['### Inner'],
      warnings: [],
    });
    expect(verdict).not.toHaveProperty('reason');
    expect(verdictSchema.parse(verdict)).toEqual(verdict);
    expect(Object.keys(verdict).slice(0, 13)).toEqual([
      ...[
        'status',
        'target_file',
        'section',
        'reference_file',
        'extracted_chars',
        'target_chars_before',
        'target_chars_after',
      ],
      ...[
        'verbatim_check',
        'edited_files',
        'out_of_tree_refs',
        'bundle_sync',
        'verify_skill_refs',
        'verify_bundle_sync',
      ],
    ]);
  });

  it('moves the last section and ends the target with the skeleton', async () => {
    const { text } = await runExtract(lines('# X', '## Move', 'last'));
    expect(await text(TARGET)).toBe(lines('# X', '## Move', '', skeleton('Move')));
  });

  it('keeps a missing final newline missing in the reference', async () => {
    const { text } = await runExtract('## Move\nlast');
    expect(await text(REFERENCE)).toMatch(/`SKILL\.md`\.\n\nlast$/u);
    expect(await text(TARGET)).toBe(lines('## Move', '', skeleton('Move')));
  });

  it('keeps CRLF, writes its own lines with it, and compares anchors without it', async () => {
    const target = lines('# X', '## Move', '', 'a', 'b', '', '## Next').replaceAll('\n', '\r\n');
    const { text, verdict } = await runExtract(target, { startAfter: 'a' });
    expect(await text(TARGET)).toBe(`# X\r\n## Move\r\n\r\na\r\n\r\n${skeleton('Move')}\r\n\r\n## Next\r\n`);
    expect(await text(REFERENCE)).toMatch(/`SKILL\.md`\.\r\n\r\nb\r\n\r\n$/u);
    expect(verdict.extracted_bytes).toBe(5);
  });

  it('keeps mixed terminators as they are', async () => {
    const { text } = await runExtract('## Move\nlf\ncrlf\r\nlf\n');
    expect(await text(REFERENCE)).toMatch(/\n\nlf\ncrlf\r\nlf\n$/u);
  });

  it('does not turn a lone CR into CRLF by what it puts behind it', async () => {
    const { text } = await runExtract('## Move\rx\r## Next\r');
    expect(await text(TARGET)).toBe(`## Move\r\r${skeleton('Move')}\r\r## Next\r`);
    const mixed = await runExtract('## Move\rx\n## Next\n');
    expect(await mixed.text(TARGET)).toBe(`## Move\r\r${skeleton('Move')}\r\r## Next\n`);
    expect(await mixed.text(REFERENCE)).toMatch(/\n\nx\n$/u);
  });

  it('finds a heading behind a byte order mark and leaves the mark in the target', async () => {
    const { text, verdict } = await runExtract('\ufeff## Move\nx\n');
    expect(await text(TARGET)).toBe(`\ufeff## Move\n\n${skeleton('Move')}\n`);
    expect(await text(REFERENCE)).not.toContain('\ufeff');
    expect(verdict.target_chars_before).toBe(11);
  });

  it('moves nothing but the lines between the anchors', async () => {
    const target = lines(
      '## Move',
      '',
      'stays',
      'goes 1',
      '- goes 2',
      "it's `quoted`",
      'stays too',
      '',
      '## Next',
    );
    const { text } = await runExtract(target, { startAfter: 'stays', endBefore: 'stays too' });
    expect(await text(TARGET)).toBe(
      lines('## Move', '', 'stays', '', skeleton('Move'), '', 'stays too', '', '## Next'),
    );
    expect(await text(REFERENCE)).toMatch(/\n\ngoes 1\n- goes 2\nit's `quoted`\n$/u);
  });

  it.each([['- item'], ["it's; $(touch x) `y`"], ['  indented'], ['trailing  '], ['--flag'], ['.*']])(
    'takes the anchor %j to the letter',
    async anchor => {
      const { text } = await runExtract(lines('## Move', anchor, 'goes', 'end'), {
        startAfter: anchor,
        endBefore: 'end',
      });
      expect(await text(REFERENCE)).toMatch(/\n\ngoes\n$/u);
    },
  );

  it('takes the heading line as start anchor, and the next heading as end anchor', async () => {
    const { verdict } = await runExtract(lines('## Move', 'a', '## Next'), {
      startAfter: '## Move',
      endBefore: '## Next',
    });
    expect(verdict.range).toEqual({ start: 2, end: 2 });
  });

  it('names the headings that leave when the anchors are the caller’s own', async () => {
    const { verdict } = await runExtract(lines('## Move', 'intro', '### A', 'a', '### B', 'b', '## Next'), {
      startAfter: 'intro',
    });
    expect(verdict.moved_headings).toEqual(['### A', '### B']);
    expect(verdict.warnings).toEqual(['these headings leave the target: `### A`, `### B`.']);
  });

  it.each([
    ['two lines of text', ['Two', 'lines', '---'], 'Two', 'Two lines'],
    ['the second line of its text', ['Two', 'lines', '==='], 'lines', 'Two lines'],
    ['one line', ['Only', '==='], 'Only', 'Only'],
  ])(
    'takes a setext heading by %s and begins under its underline',
    async (_what, heading, section, title) => {
      const { text, verdict } = await runExtract(lines('x', '', ...heading, 'body'), { section });
      expect(verdict.range?.start).toBe(3 + heading.length);
      expect(await text(REFERENCE)).toContain(`# ${title} (extracted from \`SKILL.md\` ${title})`);
    },
  );

  it('ends a section before the text of a setext heading, not before its underline', async () => {
    const { verdict } = await runExtract(lines('## Move', 'body', '', 'Next', 'heading', '==='));
    expect(verdict.range).toEqual({ start: 2, end: 3 });
  });

  it.each([
    ['a fence', ['```', '## no', '```']],
    ['a tilde fence around backticks', ['~~~', '```', '## no', '~~~']],
    ['a longer fence around a shorter one', ['````', '```', '## no', '```', '## no', '````']],
    ['a fence in a list', ['- a', '  ```', '## no', '  ```'].map(line => line.replace('## no', '  ## no'))],
    ['a fence in a quote', ['> ```', '> ## no', '> ```']],
    ['indented code', ['', '    ## no']],
    ['a comment', ['<!--', '## no', '-->']],
    ['raw HTML', ['<pre>', '## no', '</pre>']],
    ['a table', ['| a |', '|---|', '| b |']],
    ['seven marks', ['####### no']],
    ['an escaped mark', ['\\## no']],
  ])('does not end the section inside %s', async (_what, body) => {
    const { verdict } = await runExtract(lines('## Move', ...body, '', 'after', '', '## Next'));
    expect(verdict.range).toEqual({ start: 2, end: body.length + 4 });
  });

  it('warns when the same line stands in code too, and moves the real section', async () => {
    const { kind, verdict } = await runExtract(lines('```', '## Move', '```', '', '## Move', 'x'));
    expect(kind).toBe('done');
    expect(verdict.warnings).toEqual([
      'the same line stands inside a fenced block on line 2; it was left alone.',
    ]);
  });

  it('says what stays inline, and warns when it stands in both files', async () => {
    const target = lines('`keep` and other', '', '## Move', 'x `keep`', '', '## Next');
    const one = await runExtract(target, { inlineKeep: [' other '] });
    expect(await one.text(REFERENCE)).toContain('**Move**. `other` stays inline in `SKILL.md`. Content is');
    const two = await runExtract(target, { inlineKeep: ['`keep`\n\nother'] });
    expect(await two.text(REFERENCE)).toContain(
      '**Move**. `` `keep` `` and `other` stay inline in `SKILL.md`. Content is',
    );
    expect(two.verdict.warnings).toEqual([expect.stringContaining('stands inside the range too (line 4)')]);
  });

  it.each([
    ['## Phase 11: Code Review', 'Code Review'],
    ['## Step 3.2b - Build', 'Build'],
    ['## Chapter 4 \u2014 Deploy', 'Deploy'],
    ['## M2 \u2014 Plan', 'Plan'],
    ['## 1. First', 'First'],
    ['## 2.3) Third', 'Third'],
    ['## Phase 7:', 'Phase 7:'],
    ['## Step 3-way merge', 'Step 3-way merge'],
    ['## 3 ways', '3 ways'],
    ['## Phase out: plan', 'Phase out: plan'],
    ['## Closed ##', 'Closed'],
    ['## See [the guide](g.md) and `code`', 'See the guide and `code`'],
    ['## Tricks <!-- omit in toc -->', 'Tricks'],
    ['   ##\tTabbed', 'Tabbed'],
  ])('makes of %j the title %j', async (section, title) => {
    const { text } = await runExtract(lines(section, 'x'), { section });
    expect(await text(REFERENCE)).toMatch(
      new RegExp(`^# ${title.replace(/[.*+?^$()[\]{}|\\]/gu, '\\$&')} \\(extracted from`, 'u'),
    );
  });

  it('uses the purpose it is given', async () => {
    const { text } = await runExtract(lines('## Move', 'x'), { purpose: ' Reviews code in two passes. ' });
    expect(await text(TARGET)).toBe(
      lines(
        '## Move',
        '',
        'Reviews code in two passes. Read references/moved.md and follow the procedure from top to bottom.',
      ),
    );
  });

  it('points from where the target stands', async () => {
    const files = {
      'skills/x/references/big.md': lines('## Move', 'x'),
      'skills/x/references/deep/a.md': lines('## Move', 'x'),
    };
    const beside = await runExtract(
      'x',
      { target: 'skills/x/references/big.md', reference: 'skills/x/references/small.md' },
      files,
    );
    expect(await beside.text('skills/x/references/big.md')).toContain('Read small.md and follow');
    const above = await runExtract('x', { target: 'skills/x/references/deep/a.md' }, files);
    expect(await above.text('skills/x/references/deep/a.md')).toContain('Read ../moved.md and follow');
  });

  it('takes the folder of a file outside any skill for its root', async () => {
    const files = { 'docs/guide.md': lines('## Move', 'x') };
    expect(
      (await runExtract('x', { target: 'docs/guide.md', reference: 'docs/guide/part.md' }, files)).kind,
    ).toBe('done');
    expect((await runExtract('x', { target: 'docs/guide.md', reference: 'other/part.md' }, files)).kind).toBe(
      'refused',
    );
  });

  it('works on the file behind a symlink and says so', async () => {
    const link = { '.claude/skills/x': { mode: '120000', text: '../../skills/x' } } as const;
    const { verdict } = await runExtract(
      lines('## Move', 'x'),
      { target: '.claude/skills/x/SKILL.md' },
      link,
    );
    expect(verdict).toMatchObject({ status: 'ok', target_file: TARGET, edited_files: [REFERENCE, TARGET] });
    expect(verdict.warnings).toEqual([
      '`.claude/skills/x/SKILL.md` is a symlink: worked on `skills/x/SKILL.md`.',
    ]);
    const away = { '.claude/skills/x': { mode: '120000', text: '../../../elsewhere' } } as const;
    expect(
      (await runExtract(lines('## Move', 'x'), { target: '.claude/skills/x/SKILL.md' }, away)).verdict.reason,
    ).toBe('target outside repository');
  });

  it('keeps the executable bit of the target', async () => {
    const { kind } = await runExtract({ mode: '100755', text: lines('## Move', 'x') });
    expect(kind).toBe('done');
  });

  it('skips the copy when told to, and says that it does not copy yet otherwise', async () => {
    const none = await runExtract(lines('## Move', 'x'), { bundleCopyDir: 'none' });
    expect(none.verdict).toMatchObject({ bundle_sync: 'skipped', warnings: [] });
    const some = await runExtract(lines('## Move', 'x'), { bundleCopyDir: 'plugins/b/skills/x' });
    expect(some.verdict).toMatchObject({
      bundle_sync: 'skipped',
      warnings: [expect.stringContaining('nothing was copied')],
    });
  });

  it('warns of what deserves a look: traps before the end, cuts through tables, a rule that moves', async () => {
    const trap = await runExtract(lines('- a', '  ```', '', '## Move', 'x', '', '---', '', '## Next'));
    expect(trap.verdict.warnings).toEqual([
      'line 2 has a code fence that nothing closes: check that the section ends where you mean.',
      'the range ends with a thematic break, which moves too.',
    ]);
    const table = await runExtract(lines('## Move', '| a |', '|---|', '| b |', '| c |'), {
      startAfter: '| b |',
    });
    expect(table.verdict.warnings).toEqual(['the range cuts through a table (lines 2-5).']);
  });
});

describe('links and footnotes whose definition stands elsewhere', () => {
  it.each<[string, string[], string[]]>([
    [
      'a definition that stays',
      ['## Move', 'see [the Guide]', '## Next', '[the guide]: g.md'],
      ['line 2 uses a link or footnote defined on line 4'],
    ],
    [
      'a definition that moves',
      ['[text][a]', '## Move', 'x', '', '[a]: g.md', '## Next'],
      ['line 1 uses a link or footnote defined on line 5'],
    ],
    [
      'a footnote that stays',
      ['## Move', 'x[^1]', '## Next', '[^1]: note'],
      ['line 2 uses a link or footnote defined on line 4'],
    ],
    ['both on one side', ['[b]', '', '[b]: u', '', '## Move', '[a]', '', '[a]: g.md', '## Next'], []],
    [
      'only code that looks like a use',
      ['## Move', '`[a]`', '```', '[a]', '```', '## Next', '[a]: g.md'],
      [],
    ],
    [
      'only a fence that looks like a definition',
      ['## Move', '[a]', '## Next', '```', '[a]: g.md', '```'],
      [],
    ],
    ['nothing defined at all', ['## Move', '- [ ] task', '## Next', '[ ]'], []],
  ])('warns of %s', async (_what, texts, warnings) => {
    const { verdict } = await runExtract(lines(...texts));
    expect(verdict.status).toBe('ok');
    expect(verdict.warnings).toEqual(
      warnings.map(warning => `${warning}, which will stand in the other file.`),
    );
  });
});

describe('a cut inside a list', () => {
  it('leaves the pointer inside the item when the list goes on', async () => {
    const target = lines(
      '## Move',
      '',
      '1. First',
      '   - detail a',
      '   - detail b',
      '2. Second',
      '',
      '## Next',
    );
    const { text } = await runExtract(target, { startAfter: '1. First', endBefore: '2. Second' });
    expect(await text(TARGET)).toBe(
      lines('## Move', '', '1. First', '', `   ${skeleton('Move')}`, '', '2. Second', '', '## Next'),
    );
  });

  it('leaves it inside the item that itself goes on, under a wide marker', async () => {
    const target = lines('## Move', '', '10.  First', '', '     goes', '', '     stays', '11.  Second');
    const { text } = await runExtract(target, { startAfter: '10.  First', endBefore: '     stays' });
    expect(await text(TARGET)).toContain(`10.  First\n\n     ${skeleton('Move')}\n\n     stays\n`);
  });

  it('stands at the margin when whole items leave', async () => {
    const target = lines('## Move', '', '- a', '- b', '- c');
    const { text } = await runExtract(target, { startAfter: '- a', endBefore: '- c' });
    expect(await text(TARGET)).toBe(lines('## Move', '', '- a', '', skeleton('Move'), '', '- c'));
  });

  it('stays inside a quote that goes on', async () => {
    const target = lines('## Move', '', '> a', '> b', '> c');
    const { text } = await runExtract(target, { startAfter: '> a', endBefore: '> c' });
    expect(await text(TARGET)).toBe(lines('## Move', '', '> a', '>', `> ${skeleton('Move')}`, '>', '> c'));
  });
});
