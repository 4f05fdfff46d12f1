import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fastImportStream } from '../../src/git/fast-import-stream.ts';
import type { NewCommit } from '../../src/git/new-commit.ts';
import { type CommitId, commitId } from '../../src/git/object-id.ts';
import { quotePath } from '../../src/git/quote-path.ts';
import { writeCommits } from '../../src/git/write-commit.ts';
import type { Change } from '../../src/snapshot/change-set.ts';
import { parseRepoPath, type RepoPath, repoPath } from '../../src/snapshot/repo-path.ts';
import type { BlobId } from '../../src/snapshot/snapshot.ts';
import { makeRepository } from '../twin/make-repository.ts';
import { lsTree } from './ls-tree.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const repository = makeRepository(join(root, 'repository.git'), [
  {
    files: {
      'skills/a/SKILL.md': '# A\n',
      'skills/a/old.md': 'old\n',
      'run.sh': { content: 'run\n', executable: true },
      link: { symlink: 'run.sh' },
      'folder/file': 'file\n',
    },
  },
]);
const place = { gitDirectory: repository.gitDirectory, objectFormat: 'sha1' } as const;
const head = commitId(repository.commits[0] ?? '');
const blobOf = (path: string): BlobId => repository.git('rev-parse', `${head}:${path}`) as BlobId;
const person = {
  name: 'skillkeeper[bot]',
  email: '1+skillkeeper[bot]@users.noreply.github.com',
  at: new Date('2024-05-06T07:08:09.999Z'),
};
const plan = (changes: readonly Change[], more: Partial<NewCommit> = {}): NewCommit => ({
  parent: head,
  author: person,
  committer: person,
  message: 'docs: move a section\n\nSkillkeeper-Run: r1\n',
  changes,
  ...more,
});
const put = (
  path: string,
  bytes: string | Uint8Array,
  more: Partial<Extract<Change, { kind: 'put' }>> = {},
): Change => ({
  kind: 'put',
  path: repoPath(path),
  bytes: Buffer.from(bytes as Uint8Array),
  mode: '100644',
  expected: null,
  ...more,
});
const write = async (...commits: NewCommit[]): Promise<CommitId> =>
  (await writeCommits(place, commits))[0] as CommitId;
const fsck = (): string =>
  execFileSync('git', ['-C', repository.directory, 'fsck', '--strict', '--no-progress', '--no-dangling'], {
    encoding: 'utf8',
  });
const show = (commit: string, format: string): string =>
  repository.git('show', '--no-patch', `--format=${format}`, commit);

describe('writeCommits', () => {
  it('writes the changes on the parent, and git finds nothing wrong with it', async () => {
    const id = await write(
      plan([
        put('skills/a/SKILL.md', '# A, shorter\n', { expected: blobOf('skills/a/SKILL.md') }),
        put('skills/a/references/long.md', Buffer.from([0, 255, 13, 10, 0])),
        put('tool', 'x', { mode: '100755' }),
        { kind: 'delete', path: repoPath('skills/a/old.md'), expected: blobOf('skills/a/old.md') },
        { kind: 'move', from: repoPath('run.sh'), to: repoPath('bin/run.sh'), expected: blobOf('run.sh') },
      ]),
    );
    const status = repository.git('diff-tree', '-r', '--no-renames', '--name-status', head, id);
    expect(status.split('\n').sort()).toEqual([
      'A\tbin/run.sh',
      'A\tskills/a/references/long.md',
      'A\ttool',
      'D\trun.sh',
      'D\tskills/a/old.md',
      'M\tskills/a/SKILL.md',
    ]);
    const modes = Object.fromEntries(lsTree(repository, id, '-r').map(([mode, , path]) => [path, mode]));
    expect(modes).toMatchObject({
      'bin/run.sh': '100755',
      tool: '100755',
      link: '120000',
      'skills/a/SKILL.md': '100644',
    });
    const bytes = execFileSync('git', [
      '-C',
      repository.directory,
      'cat-file',
      'blob',
      `${id}:skills/a/references/long.md`,
    ]);
    expect(bytes).toEqual(Buffer.from([0, 255, 13, 10, 0]));
    expect(fsck()).toBe('');
  });

  it('writes author, committer, dates and message as they were given', async () => {
    const author = { name: 'Jürgen <x>\n', email: 'j@example.com', at: new Date('2020-01-02T03:04:05Z') };
    const message = 'töst: "quoted"\n\nline\r\nend without a break';
    const id = await write(plan([put('x', 'x')], { author, message }));
    expect(show(id, '%an|%ae|%aI|%cn|%ce|%cI')).toBe(
      `Jürgen x|j@example.com|2020-01-02T03:04:05+00:00|${person.name}|${person.email}|2024-05-06T07:08:09+00:00`,
    );
    const raw = execFileSync('git', ['-C', repository.directory, 'cat-file', 'commit', id], {
      encoding: 'utf8',
    });
    expect(raw.slice(raw.indexOf('\n\n') + 2)).toBe(message);
    expect(fsck()).toBe('');
  });

  it('writes a commit on the head and one without a parent in one go', async () => {
    const evidence = plan([put('verdict.json', '{}\n')], { parent: null, message: 'run r1 attempt 1' });
    const [result, run] = await writeCommits(place, [plan([put('x', 'x')]), evidence]);
    expect(show(result ?? '', '%P')).toBe(head);
    expect(show(run ?? '', '%P')).toBe('');
    expect(lsTree(repository, run ?? '', '-r').map(([, , path]) => path)).toEqual(['verdict.json']);
    const [again] = await writeCommits(place, [evidence]); // the ref of the last time is there, and plays no part
    expect(show(again ?? '', '%P')).toBe('');
  });

  it('writes a commit without changes', async () => {
    const id = await write(plan([]));
    expect(show(id, '%T')).toBe(show(head, '%T'));
  });

  it('lets a folder take the place of a file, and a file that of a folder', async () => {
    const id = await write(
      plan([
        { kind: 'move', from: repoPath('run.sh'), to: repoPath('run.sh/inside'), expected: blobOf('run.sh') },
        { kind: 'delete', path: repoPath('folder/file'), expected: blobOf('folder/file') },
        put('folder', 'now a file'),
      ]),
    );
    const paths = lsTree(repository, id, '-r').map(([, , path]) => path);
    expect(paths).toEqual(expect.arrayContaining(['run.sh/inside', 'folder']));
    expect(fsck()).toBe('');
  });

  it('keeps any name a path can have', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 });
    const special = fc.constantFrom(
      '"',
      ' ',
      '"x"',
      'ü',
      '\u{1f600}',
      '-',
      '--',
      '#',
      'a b',
      "'",
      '$(x)',
      '*',
      '\u0301',
    );
    const path = fc
      .array(fc.oneof(name, special), { minLength: 1, maxLength: 3 })
      .map(parts => parseRepoPath(parts.join('/')))
      .filter(result => result.kind === 'ok')
      .map(result => result.path as RepoPath);
    const prefixFree = fc
      .uniqueArray(path, { maxLength: 6 })
      .filter(paths => !paths.some(a => paths.some(b => b.startsWith(`${a}/`))));
    await fc.assert(
      fc.asyncProperty(prefixFree, async paths => {
        const id = await write(
          plan(
            paths.map((each, index) => put(each, `${index}`)),
            { parent: null },
          ),
        );
        const listed = lsTree(repository, id, '-r').map(([, , text = '']) =>
          Buffer.from(text, 'latin1').toString(),
        );
        expect(listed.sort()).toEqual([...paths].sort());
      }),
      { numRuns: 25 },
    );
    expect(fsck()).toBe('');
  });

  it('works on SHA-256 repositories', async () => {
    const wide = makeRepository(join(root, 'wide.git'), [{ files: { a: 'a' } }], { objectFormat: 'sha256' });
    const parent = commitId(wide.commits[0] ?? '');
    const ids = await writeCommits({ gitDirectory: wide.gitDirectory, objectFormat: 'sha256' }, [
      plan([put('b', 'b')], { parent }),
    ]);
    expect(wide.git('diff-tree', '-r', '--name-status', parent, ids[0] ?? '')).toBe('A\tb');
  });

  it.each([
    [
      'a blob the plan did not expect',
      [put('skills/a/SKILL.md', 'x', { expected: blobOf('skills/a/old.md') })],
    ],
    ['a file where none was expected', [put('skills/a/SKILL.md', 'x')]],
    ['a file that takes a whole folder away', [put('skills', 'x')]],
    [
      'a deletion of what is not there',
      [{ kind: 'delete', path: repoPath('none'), expected: blobOf('run.sh') } as const],
    ],
  ])('faults with git-commit-differs for %s', async (_, changes) => {
    await expect(write(plan(changes))).rejects.toMatchObject({ code: 'git-commit-differs' });
  });

  it.each([
    ['a path into .git', plan([put('x', 'x', { path: '.git/config' as RepoPath })])],
    ['a path out of the tree', plan([put('x', 'x', { path: '../x' as RepoPath })])],
    ['a path with a line break', plan([put('x', 'x', { path: 'a\nD skills' as RepoPath })])],
    ['a parent that is no id', plan([], { parent: 'refs/heads/main' as CommitId })],
    ['an author without a name', plan([], { author: { ...person, name: '<>' } })],
    ['a date that is none', plan([], { author: { ...person, at: new Date(Number.NaN) } })],
    ['a message with a NUL', plan([], { message: 'a\0b' })],
    [
      'a symlink to move',
      plan([{ kind: 'move', from: repoPath('link'), to: repoPath('l'), expected: blobOf('link') }]),
    ],
  ])('refuses %s', async (_, commit) => {
    await expect(write(commit)).rejects.toMatchObject({ code: 'git-bad-name' });
  });

  it('makes nothing of a stream that was cut', () => {
    const fresh = makeRepository(join(root, 'cut.git'), []);
    const stream = fastImportStream(
      [plan([put('a', 'aaaa')], { parent: null }), plan([put('b', 'bbbb')], { parent: null })],
      [],
    );
    for (const share of [0.3, 0.6, 0.9, 0.99]) {
      const input = stream.subarray(0, Math.floor(stream.length * share));
      const { status } = spawnSync('git', ['-C', fresh.directory, 'fast-import', '--quiet', '--done'], {
        input,
      });
      expect(status).not.toBe(0);
      expect(fresh.git('for-each-ref')).toBe('');
    }
  });
});

describe('quotePath', () => {
  it('writes any byte so that git reads it back', () => {
    const odd = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1))
      .join('')
      .replace('/', '');
    const fresh = makeRepository(join(root, 'odd.git'), []);
    const input = `commit refs/heads/main\ncommitter a <a@a> 1 +0000\ndata 0\nM 100644 inline ${quotePath(odd)}\ndata 0\n\n`;
    execFileSync('git', ['-C', fresh.directory, 'fast-import', '--quiet'], { input });
    const [entry] = lsTree(fresh, 'main');
    expect(Buffer.from(entry?.[2] ?? '', 'latin1')).toEqual(Buffer.from(odd));
  });
});
