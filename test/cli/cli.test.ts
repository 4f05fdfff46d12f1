import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../git/scratch.ts';
import { type FileSpec, makeRepository } from '../twin/make-repository.ts';
import { runCli, runCliOnTerminal } from './run-cli.ts';

const scratch = scratchFolder();
const SKILL = '---\nname: x\n---\n\n# X\n\n## Move\n\nbody é\n\n## Next\n\nend\n';
const ARGS = [
  'extract-section',
  '--target',
  'skills/x/SKILL.md',
  '--section',
  '## Move',
  '--reference',
  'skills/x/references/moved.md',
];

let count = 0;
function makeCheckout(files: Record<string, FileSpec> = { 'skills/x/SKILL.md': SKILL }) {
  count += 1;
  const repository = makeRepository(join(scratch, `checkout-${count}`), [{ files }], { workTree: true });
  repository.git('config', 'user.name', 'A Maintainer');
  repository.git('config', 'user.email', 'maintainer@example.com');
  return repository;
}

describe('skillkeeper extract-section', () => {
  it('writes both files and nothing else, and leaves committing to the user', () => {
    const { directory, git } = makeCheckout();
    const { code, stdout, stderr } = runCli(directory, ARGS);
    expect([code, stderr]).toEqual([0, '']);
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe(
      ' M skills/x/SKILL.md\n?? skills/x/references/moved.md',
    );
    expect(readFileSync(join(directory, 'skills/x/references/moved.md'), 'utf8')).toMatch(
      /\n\n\nbody é\n\n$/u,
    );
    expect(stdout).toContain('Status: SUCCESS');
    expect(stdout).toContain('+++ b/skills/x/references/moved.md');
    expect(JSON.parse(/```json\n([\s\S]*)\n```\n$/u.exec(stdout)?.[1] ?? '')).toMatchObject({
      status: 'ok',
      extracted_chars: 9,
    });
  });

  it('prints one JSON object and nothing else with --json', () => {
    const { directory } = makeCheckout();
    const { code, stdout } = runCli(directory, [...ARGS, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'ok',
      verbatim_check: 'identical',
      edited_files: ['skills/x/references/moved.md', 'skills/x/SKILL.md'],
    });
  });

  it('shows the exact diff with --dry-run and changes nothing', () => {
    const { directory, git } = makeCheckout();
    const { code, stdout } = runCli(directory, [...ARGS, '--dry-run']);
    expect(code).toBe(0);
    expect(git('status', '--porcelain')).toBe('');
    const patch = stdout.slice(stdout.indexOf('--- /dev/null'), stdout.indexOf('\nStatus:'));
    writeFileSync(join(scratch, 'dry.patch'), patch);
    git('apply', join(scratch, 'dry.patch'));
    const applied =
      git('diff', 'HEAD') + readFileSync(join(directory, 'skills/x/references/moved.md'), 'utf8');
    git('checkout', '-q', '.');
    rmSync(join(directory, 'skills/x/references'), { recursive: true });
    runCli(directory, ARGS);
    expect(git('diff', 'HEAD') + readFileSync(join(directory, 'skills/x/references/moved.md'), 'utf8')).toBe(
      applied,
    );
  });

  it('commits exactly the move with --commit and names the commit', () => {
    const { directory, git } = makeCheckout();
    writeFileSync(join(directory, 'mine.md'), 'unfinished');
    const { code, stdout } = runCli(directory, [...ARGS, '--commit', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).commit).toBe(git('rev-parse', 'HEAD'));
    expect(git('show', '--format=%s', '--name-status')).toBe(
      'docs: extract "Move" to skills/x/references/moved.md\n\nM\tskills/x/SKILL.md\nA\tskills/x/references/moved.md',
    );
    expect(git('status', '--porcelain')).toBe('?? mine.md');
  });

  it('works below the root, from elsewhere with -C, and with an absolute path', () => {
    const below = makeCheckout();
    expect(
      runCli(join(below.directory, 'skills/x'), [
        'extract-section',
        '--target',
        'SKILL.md',
        '--section',
        '## Move',
        '--reference',
        'references/moved.md',
      ]).code,
    ).toBe(0);
    expect(existsSync(join(below.directory, 'skills/x/references/moved.md'))).toBe(true);
    const elsewhere = makeCheckout();
    expect(runCli(scratch, [...ARGS, '-C', elsewhere.directory]).code).toBe(0);
    const absolute = makeCheckout();
    expect(
      runCli(absolute.directory, [
        'extract-section',
        '--target',
        join(absolute.directory, 'skills/x/SKILL.md'),
        ...ARGS.slice(3),
      ]).code,
    ).toBe(0);
  });

  it('works before the first commit and on untracked files', () => {
    const directory = join(scratch, 'unborn');
    execFileSync('git', ['init', '-q', directory]);
    mkdirSync(join(directory, 'skills/x'), { recursive: true });
    writeFileSync(join(directory, 'skills/x/SKILL.md'), SKILL);
    expect(runCli(directory, ARGS).code).toBe(0);
  });

  it('takes anchors that look like options, and repeated phrases', () => {
    const text = '## Move\n\nkeep one\nkeep two\n--start\n- goes\n--end\n';
    const { directory } = makeCheckout({ 'skills/x/SKILL.md': text });
    const anchors = [
      '--start-after',
      '--start',
      '--end-before',
      '--end',
      '--inline-keep',
      'keep one',
      '--inline-keep',
      'keep two',
    ];
    const { code, stdout } = runCli(directory, [...ARGS, ...anchors, '--json']);
    expect([code, JSON.parse(stdout).range]).toEqual([0, { start: 6, end: 6 }]);
    expect(readFileSync(join(directory, 'skills/x/references/moved.md'), 'utf8')).toContain(
      '`keep one` and `keep two` stay inline',
    );
  });

  it.each<[string, string[], string]>([
    ['no arguments', ['extract-section'], 'incomplete args'],
    ['a section that is not there', [...ARGS, '--section', '## None'], 'section not found'],
    [
      'a reference outside the skill',
      [...ARGS, '--reference', 'moved.md'],
      'reference path outside skill root',
    ],
    [
      'a reference outside the repository',
      [...ARGS, '--reference', '../moved.md'],
      'reference path outside skill root',
    ],
    [
      'a target outside the repository',
      [...ARGS, '--target', '../../etc/passwd'],
      'target outside repository',
    ],
    ['an anchor that is not there', [...ARGS, '--start-after', 'none'], 'Start after anchor not found'],
  ])('refuses %s with exit code 2 and leaves the tree as it was', (_what, args, reason) => {
    const { directory, git } = makeCheckout();
    const { code, stdout, stderr } = runCli(directory, [...args, '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', reason });
    expect(stderr).toEqual(
      reason === 'incomplete args'
        ? expect.stringMatching(/^Usage: skillkeeper extract-section --target [^\n]+\n$/u)
        : '',
    );
    expect(git('status', '--porcelain', '--ignored')).toBe('');
  });

  it('refuses an ignored, a differently written and a linked reference', () => {
    const { directory } = makeCheckout({ 'skills/x/SKILL.md': SKILL, '.gitignore': 'moved.md\n' });
    mkdirSync(join(directory, 'skills/x/references'));
    writeFileSync(join(directory, 'skills/x/references/moved.md'), 'mine');
    expect(JSON.parse(runCli(directory, [...ARGS, '--json']).stdout)).toMatchObject({
      reason: 'reference file already exists',
    });
    symlinkSync('/tmp', join(directory, 'skills/x/away'));
    const through = [...ARGS, '--reference', 'skills/x/away/moved.md', '--json'];
    expect(JSON.parse(runCli(directory, through).stdout)).toMatchObject({
      reason: 'reference path outside skill root',
    });
    const cased = [...ARGS, '--reference', 'skills/x/References/other.md', '--json'];
    expect(JSON.parse(runCli(directory, cased).stdout)).toMatchObject({
      reason: 'reference file already exists',
    });
  });

  it('refuses to work outside a repository, and to commit over uncommitted changes', () => {
    const outside = runCli(scratch, [...ARGS, '--json']);
    expect([outside.code, JSON.parse(outside.stdout).reason]).toEqual([2, 'not a git repository']);
    const { directory, git } = makeCheckout();
    writeFileSync(join(directory, 'skills/x/SKILL.md'), `${SKILL}more\n`);
    const dirty = runCli(directory, [...ARGS, '--commit', '--json']);
    expect([dirty.code, JSON.parse(dirty.stdout).reason]).toEqual([2, 'working tree not clean']);
    expect(git('status', '--porcelain')).toBe(' M skills/x/SKILL.md');
  });

  it('shows colour and no JSON on a terminal, and no colour with NO_COLOR', () => {
    const { directory } = makeCheckout();
    const coloured = runCliOnTerminal(directory, [...ARGS, '--dry-run'], { TERM: 'xterm' });
    expect(coloured).toContain('Status: SUCCESS');
    expect(coloured).toContain('\u001b[32m+# Move (extracted from');
    expect(coloured).not.toContain('```json');
    expect(runCliOnTerminal(directory, [...ARGS, '--dry-run'], { NO_COLOR: '1' })).not.toContain('\u001b[');
  });

  it('explains itself with an example that works', () => {
    const help = runCli(scratch, ['extract-section', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(
      /^Example:\n {2}skillkeeper extract-section --target skills\/deploy\/SKILL\.md/u,
    );
    const { directory } = makeCheckout({ 'skills/deploy/SKILL.md': '## Phase 11: Code Review\n\nx\n' });
    const example = /skillkeeper ([\s\S]*?)\n\n/u.exec(help.stdout)?.[1] ?? '';
    const args = [...example.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/gu)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    expect(runCli(directory, args).code).toBe(0);
  });

  it('refuses unknown options and commands with exit code 2', () => {
    expect(runCli(scratch, ['extract-section', '--nonsense']).code).toBe(2);
    expect(runCli(scratch, ['nonsense']).code).toBe(2);
    expect(runCli(scratch, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u),
    });
  });
});

describe('skillkeeper outline', () => {
  it('prints one JSON array, one object a file, as documented', () => {
    const folder = join(scratch, 'outline');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.md'), '---\nname: x\n---\n# `A` b\n\nTwo\n---\n\n```\n# no\n');
    writeFileSync(join(folder, 'b.md'), '');
    const { code, stdout } = runCli(folder, ['outline', 'a.md', './b.md', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        file: 'a.md',
        headings: [
          { line: 4, level: 1, text: 'A b', slug: 'a-b', start: 5, end: 10 },
          { line: 6, level: 2, text: 'Two', slug: 'two', start: 8, end: 10 },
        ],
        traps: [{ line: 9, kind: 'unclosed-fence' }],
      },
      { file: './b.md', headings: [], traps: [] },
    ]);
  });

  it('shows headings and traps to people, and says which file it can not read', () => {
    const folder = join(scratch, 'outline-text');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.md'), '# A\n\n## B\n\nx\n');
    writeFileSync(join(folder, 'bad.md'), Buffer.from([0x61, 0x0a, 0xff]));
    const { code, stdout, stderr } = runCli(folder, ['outline', 'a.md', 'none.md', 'bad.md', '.']);
    expect(code).toBe(2);
    expect(stdout).toBe('a.md\n     1  # A  2-5  #a\n     3    ## B  4-5  #b\n');
    expect(stderr).toEqual(
      'none.md can not be read: it does not exist.\nbad.md can not be read: invalid UTF-8 on line 2. Save it as UTF-8.\n. can not be read: it is a folder.\n',
    );
  });
});
