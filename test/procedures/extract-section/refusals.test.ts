import { describe, expect, it } from 'vitest';
import type { ExtractRequest } from '../../../src/procedures/extract-section/request.ts';
import type { FileOf } from '../../snapshot/make-snapshot.ts';
import { lines, runExtract } from './run-extract.ts';

const SKILL = lines(
  '# X',
  '',
  '## Move',
  '',
  'first',
  'keep me',
  '- item',
  '',
  '```sh',
  '# comment',
  'fenced',
  '```',
  '',
  'last',
  '',
  '## Next',
  '',
  'keep me',
  '',
  'twin',
  'twin',
);

async function refusal(
  request: Partial<ExtractRequest>,
  target: FileOf = SKILL,
  others: Readonly<Record<string, FileOf>> = {},
): Promise<{ reason: string | undefined; detail: string | undefined }> {
  const { kind, verdict } = await runExtract(target, request, others);
  expect(kind).toBe('refused');
  return { reason: verdict.reason, detail: verdict.detail };
}

describe('a refused run', () => {
  it.each(['target', 'section', 'reference'] as const)('needs %s, and says how to give it', async field => {
    for (const blank of ['', '  ', '\n']) {
      const { reason, detail } = await refusal({ [field]: blank });
      expect(reason).toBe('incomplete args');
      expect(detail).toContain(
        'is missing. Usage: Target file: <path>, Section: <heading line>, Reference file: <path> (required)',
      );
    }
  });

  it('emits the whole verdict with zero counts, empty arrays and every check skipped', async () => {
    const { verdict } = await runExtract(SKILL, { section: '## None' });
    expect(verdict).toEqual({
      status: 'error',
      target_file: 'skills/x/SKILL.md',
      section: '## None',
      reference_file: 'skills/x/references/moved.md',
      extracted_chars: 0,
      target_chars_before: 0,
      target_chars_after: 0,
      verbatim_check: 'skipped',
      edited_files: [],
      out_of_tree_refs: [],
      bundle_sync: 'skipped',
      verify_skill_refs: 'skipped',
      verify_bundle_sync: 'skipped',
      reason: 'section not found',
      detail: expect.any(String),
      extracted_bytes: 0,
      target_bytes_before: 0,
      target_bytes_after: 0,
      moved_headings: [],
      warnings: [],
    });
  });

  it.each<[string, Partial<ExtractRequest>, string]>([
    ['section not found', { section: '## move' }, 'Near it: `## Move`'],
    ['section not found', { section: '## Move ' }, 'Near it: `## Move`'],
    ['section not found', { section: '# comment' }, 'only inside a fenced block (line 10)'],
    ['section is not a heading', { section: 'first' }, 'Line 5, `first`, is ordinary text'],
    ['section heading not unique', { section: 'twin' }, 'lines 20 and 21'],
    ['anchor is not a single line', { section: '## Move\n## Next' }, '`Section:`'],
    ['anchor is not a single line', { startAfter: 'first\r' }, '`Start after:`'],
    ['anchor is not a single line', { endBefore: 'a\nb' }, '`End before:`'],
    ['Start after anchor not found', { startAfter: 'firs' }, '`firs`'],
    ['Start after anchor not unique', { startAfter: 'keep me' }, 'lines 6, 18'],
    ['End before anchor not found', { endBefore: 'lasts' }, '`lasts`'],
    ['End before anchor not unique', { endBefore: 'twin' }, 'lines 20, 21'],
    ['start anchor outside section', { startAfter: '# X' }, "line 1; the section's body is lines 4-15"],
    ['start anchor outside section', { startAfter: '## Next' }, 'line 16'],
    ['end anchor outside section', { endBefore: '# X' }, 'line 1'],
    ['end anchor outside section', { endBefore: '## Move' }, 'line 3'],
    ['empty extraction range', { startAfter: 'first', endBefore: 'first' }, 'Check the anchors'],
    ['empty extraction range', { startAfter: 'last', endBefore: 'first' }, 'Check the anchors'],
    ['empty extraction range', { startAfter: 'last' }, 'Lines 15-15 are blank'],
    ['range splits a fenced block', { startAfter: 'fenced' }, 'the block is lines 9-12'],
    ['range splits a fenced block', { endBefore: 'fenced' }, 'The range is lines 4-10'],
    ['range splits a fenced block', { startAfter: '```sh', endBefore: 'fenced' }, 'lines 9-12'],
    ['inline-keep phrase not found', { inlineKeep: ['nowhere'] }, '`nowhere`'],
    ['inline-keep phrase inside extraction range', { inlineKeep: ['keep me', 'fenced'] }, '(11)'],
    ['purpose is not a single line', { purpose: 'One.\nTwo.' }, '`Purpose:`'],
    ['purpose is not plain text', { purpose: '## Heading' }, '`## Heading`'],
    ['purpose is not plain text', { purpose: '- item' }, '`- item`'],
    ['purpose is not plain text', { purpose: '```' }, 'Begin it with a word'],
    ['reference file not markdown', { reference: 'skills/x/references/moved.txt' }, '`.md`'],
    [
      'reference path outside skill root',
      { reference: 'references/moved.md' },
      'Try `skills/x/references/moved.md`',
    ],
    [
      'reference path outside skill root',
      { reference: 'skills/y/references/a.md' },
      'Try `skills/x/references/a.md`',
    ],
    ['reference path outside skill root', { reference: 'skills/x/../../a.md' }, 'climbs out'],
    ['reference path outside skill root', { reference: '/tmp/a.md' }, 'absolute'],
    ['reference path outside skill root', { reference: '~/a.md' }, '`~`'],
    ['reference path outside skill root', { reference: 'skills\\x\\a.md' }, 'backslash'],
    ['reference path outside skill root', { reference: 'skills/x/.git/a.md' }, '`.git`'],
    ['reference path outside skill root', { reference: 'skills/x/a\0.md' }, 'NUL'],
    ['bundle copy dir outside repository', { bundleCopyDir: '../copy' }, 'climbs out'],
    ['target outside repository', { target: '../SKILL.md' }, 'climbs out'],
    ['target file not found', { target: 'skills/x/none.md' }, 'does not exist'],
    ['target file not found', { target: 'skills/x' }, 'is a folder'],
  ])('says %s for %j', async (reason, request, detail) => {
    expect(await refusal(request)).toEqual({ reason, detail: expect.stringContaining(detail) });
  });

  it('checks in the order of the seed: arguments, anchors, range, phrases, reference', async () => {
    const everything = {
      section: '## None',
      startAfter: 'none',
      endBefore: 'none',
      inlineKeep: ['none'],
      reference: 'x.txt',
    };
    expect(await refusal(everything)).toMatchObject({ reason: 'section not found' });
    expect(await refusal({ ...everything, section: '## Move' })).toMatchObject({
      reason: 'Start after anchor not found',
    });
    expect(await refusal({ ...everything, section: '## Move', startAfter: 'last' })).toMatchObject({
      reason: 'End before anchor not found',
    });
    expect(
      await refusal({ ...everything, section: '## Move', startAfter: 'last', endBefore: '## Next' }),
    ).toMatchObject({ reason: 'empty extraction range' });
    expect(
      await refusal({ ...everything, section: '## Move', startAfter: undefined, endBefore: undefined }),
    ).toMatchObject({ reason: 'inline-keep phrase not found' });
    expect(await refusal({ section: '## Move', reference: 'x.txt' })).toMatchObject({
      reason: 'reference path outside skill root',
    });
  });

  it.each<[string, FileOf, string]>([
    ['a NUL byte', '## Move\n\nx\0\n', 'line 3'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('## Move\n\n'), Buffer.from([0xe9, 0x0a])]),
      'line 3',
    ],
  ])('does not touch a target with %s', async (_what, target, where) => {
    expect(await refusal({}, target)).toEqual({
      reason: 'target not utf-8 text',
      detail: expect.stringContaining(where),
    });
  });

  it('does not read a target over five mebibytes', async () => {
    expect(await refusal({}, `## Move\n\n${'x'.repeat(5 * 1024 * 1024)}\n`)).toMatchObject({
      reason: 'target file too large',
    });
  });

  it.each<[string, string[], string]>([
    [
      'an empty body before the next heading',
      ['## Move', '## Next'],
      'Nothing stands between line 1 and line 2',
    ],
    ['an empty body at the end of the file', ['## Move'], 'Nothing stands'],
    ['a blank body', ['## Move', '', '', '## Next'], 'Lines 2-3 are blank'],
  ])('does not move %s', async (_what, texts, detail) => {
    expect(await refusal({}, lines(...texts))).toEqual({
      reason: 'empty extraction range',
      detail: expect.stringContaining(detail),
    });
  });

  it.each<[string, string[], Partial<ExtractRequest>]>([
    ['range splits an HTML comment', ['## Move', 'a', '', '<!--', 'x', '-->', 'b'], { startAfter: 'x' }],
    ['range splits an HTML comment', ['## Move', 'text <!-- a', 'b -->', 'c'], { endBefore: 'b -->' }],
    ['range splits an HTML block', ['## Move', 'a', '', '<div>', 'x', '</div>', '', 'b'], { endBefore: 'x' }],
    [
      'range splits a details element',
      ['## Move', '<details>', '', 'x', '', '</details>', '', 'b'],
      { startAfter: 'x' },
    ],
    [
      'range splits a details element',
      ['## Move', 'a', '', '<details>', '', '## Next', '', '</details>'],
      {},
    ],
    [
      'range splits a heading',
      ['# Move', 'a', '', 'Two', 'lines', '---', 'b'],
      { section: '# Move', startAfter: 'Two' },
    ],
    ['range splits a fenced block', ['## Move', 'a', '~~~~', '~~~', 'x', '~~~~', 'b'], { endBefore: 'x' }],
    ['range splits a fenced block', ['## Move', '- a', '  ```', '  x', '  ```', 'b'], { startAfter: '  x' }],
    ['range splits a fenced block', ['## Move', '> ```', '> x', '> ```', 'b'], { startAfter: '> x' }],
    ['range splits a fenced block', ['## Move', 'a', '', '```', 'never closed', 'b'], { endBefore: 'b' }],
  ])('says %s and moves nothing (%j)', async (reason, texts, request) => {
    expect(await refusal(request, lines(...texts))).toMatchObject({ reason });
  });

  it('does not leave text behind that would be read differently', async () => {
    // The fence belongs to the item that would move; without it, its four blanks make it indented code.
    const target = lines('## Move', '', 'a', '', '10. b', '', '    ~~~sh', '    x', '    ~~~', '', '## Next');
    const { reason, detail } = await refusal({ startAfter: 'a', endBefore: '    ~~~sh' }, target);
    expect(reason).toBe('range changes the structure around it');
    expect(detail).toContain('fence');
  });

  it.each<[string, string[]]>([
    ['a quote', ['> ## Move', '> x']],
    ['a list', ['- ## Move', '  x']],
  ])('does not take a heading inside %s for a section', async (_what, texts) => {
    expect(await refusal({ section: texts[0] as string }, lines(...texts))).toMatchObject({
      reason: 'section is not a heading',
    });
  });

  it.each<[string, string[], string]>([
    ['frontmatter', ['---', '## Move', '---', 'x'], 'the frontmatter'],
    ['a comment', ['<!--', '## Move', '-->', 'x'], 'an HTML block'],
    ['a fence', ['~~~', '## Move', '~~~', 'x'], 'a fenced block'],
    ['a fence that nothing closes', ['```', 'x', '## Move', 'y'], 'a fenced block'],
  ])('does not find a section inside %s', async (_what, texts, where) => {
    expect(await refusal({}, lines(...texts))).toEqual({
      reason: 'section not found',
      detail: expect.stringContaining(where),
    });
  });

  it('does not find a heading that is indented code', async () => {
    expect(await refusal({ section: '    ## Move' }, lines('x', '', '    ## Move', '', 'y'))).toMatchObject({
      reason: 'section not found',
      detail: expect.stringContaining('indented code'),
    });
  });
});

describe('a reference path', () => {
  it.each<[string, string, FileOf]>([
    ['a file', 'skills/x/references/moved.md', 'x'],
    ['a file in another case', 'skills/x/references/Moved.MD', 'x'],
    ['a file that is the same after normalisation', 'skills/x/references/e\u0301.md', 'x'],
    ['a folder', 'skills/x/references/moved.md/inside.md', 'x'],
    ['a folder of another case on the way', 'skills/x/References/other.md', 'x'],
    ['a symlink', 'skills/x/references/moved.md', { mode: '120000', text: 'nowhere' }],
    ['a submodule', 'skills/x/references/moved.md', { mode: '160000', text: '' }],
  ])('is taken by %s', async (what, path, file) => {
    const reference = what.includes('normalisation')
      ? 'skills/x/references/\u00e9.md'
      : 'skills/x/references/moved.md';
    expect(await refusal({ reference }, SKILL, { [path]: file })).toMatchObject({
      reason: 'reference file already exists',
    });
  });

  it('never goes through a symlink or a file', async () => {
    const link = { 'skills/x/references': { mode: '120000', text: '../y' }, 'skills/y/a.md': 'x' } as const;
    expect(await refusal({}, SKILL, link)).toEqual({
      reason: 'reference path outside skill root',
      detail: expect.stringContaining(
        '`skills/x/references` on the way is a symlink that leads to `skills/y`',
      ),
    });
    expect(await refusal({}, SKILL, { 'skills/x/references': 'file' })).toMatchObject({
      reason: 'reference path outside skill root',
      detail: expect.stringContaining('is a file'),
    });
  });

  it('is never below .github/workflows', async () => {
    const files = { '.github/SKILL.md': SKILL };
    expect(
      await refusal({ target: '.github/SKILL.md', reference: '.github/workflows/a.md' }, SKILL, files),
    ).toMatchObject({ reason: 'path not allowed' });
  });
});

describe('a target inside a bundle copy', () => {
  const marketplace = (...plugins: unknown[]) => JSON.stringify({ plugins });
  const files = { 'skills/ask/SKILL.md': SKILL, 'plugins/bundle/skills/ask/SKILL.md': SKILL };
  const request = {
    target: 'plugins/bundle/skills/ask/SKILL.md',
    reference: 'plugins/bundle/skills/ask/references/a.md',
  };

  it.each([
    ['lists it', { name: 'bundle', source: './plugins/bundle', skills: ['./skills/ask'] }],
    [
      'lists it without a dot and with a slash',
      { name: 'bundle', source: 'plugins/bundle/', skills: ['skills/ask/'] },
    ],
    ['lists nothing', { name: 'bundle', source: './plugins/bundle' }],
  ])('is refused with the canonical file named when the bundle %s', async (_what, plugin) => {
    const others = { ...files, '.claude-plugin/marketplace.json': marketplace(plugin) };
    expect(await refusal(request, SKILL, others)).toEqual({
      reason: 'target inside a bundle copy',
      detail: expect.stringContaining('Extract from `skills/ask/SKILL.md` instead'),
    });
  });

  it('finds the canonical folder of nested and of direct plugins', async () => {
    const nested = { 'skills/ask/skills/ask/SKILL.md': SKILL, 'plugins/bundle/skills/ask/SKILL.md': SKILL };
    const bundle = { name: 'bundle', source: './plugins/bundle', skills: ['./skills/ask'] };
    expect(
      await refusal(request, SKILL, { ...nested, '.claude-plugin/marketplace.json': marketplace(bundle) }),
    ).toMatchObject({
      detail: expect.stringContaining('`skills/ask/skills/ask/SKILL.md`'),
    });
    const direct = { 'tools/ask/SKILL.md': SKILL, 'plugins/bundle/skills/ask/SKILL.md': SKILL };
    const single = { name: 'ask', source: './tools/ask', skills: ['./'] };
    expect(
      await refusal(request, SKILL, {
        ...direct,
        '.claude-plugin/marketplace.json': marketplace(bundle, single),
      }),
    ).toMatchObject({
      detail: expect.stringContaining('`tools/ask/SKILL.md`'),
    });
  });

  it.each<[string, Record<string, FileOf>]>([
    ['there is no canonical folder', { 'plugins/bundle/skills/ask/SKILL.md': SKILL }],
    [
      'the entry climbs out of the repository',
      {
        ...files,
        '.claude-plugin/marketplace.json': marketplace({
          name: 'bundle',
          source: './plugins/bundle',
          skills: ['../../x'],
        }),
      },
    ],
    ['no plugin serves it', { ...files, '.claude-plugin/marketplace.json': marketplace() }],
  ])('is none when %s', async (_what, others) => {
    const withList = {
      '.claude-plugin/marketplace.json': marketplace({
        name: 'bundle',
        source: './plugins/bundle',
        skills: ['./skills/ask'],
      }),
      ...others,
    };
    expect((await runExtract(SKILL, request, withList)).kind).toBe('done');
  });

  it('warns when the marketplace can not be read', async () => {
    for (const broken of ['{', '[]', '{"plugins": 1}']) {
      const { kind, verdict } = await runExtract(SKILL, {}, { '.claude-plugin/marketplace.json': broken });
      expect(kind).toBe('done');
      expect(verdict.warnings).toEqual([
        expect.stringContaining('`.claude-plugin/marketplace.json` is malformed'),
      ]);
    }
  });
});
