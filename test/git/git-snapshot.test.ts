import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type BatchReader, openBatchReader } from '../../src/git/batch-reader.ts';
import { openGitSnapshot } from '../../src/git/git-snapshot.ts';
import { commitId } from '../../src/git/object-id.ts';
import { repoPath } from '../../src/snapshot/repo-path.ts';
import { makeRepository, type TestRepository } from '../twin/make-repository.ts';
import { lsTree } from './ls-tree.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const readers: BatchReader[] = [];
afterAll(() => Promise.all(readers.map(reader => reader.close())));

const files = {
  'README.md': '# Skills\n',
  'skills/a/SKILL.md': 'a\n',
  'skills/a/references/one.md': 'one\n',
  'skills/a.md': 'sorts between',
  'skills-b/SKILL.md': 'b\n',
  'run.sh': { content: '#!/bin/sh\n', executable: true },
  'skills/link': { symlink: '../README.md' },
  vendored: { submodule: 'c'.repeat(40) },
  'uni/ü-\u{1f600}.md': 'x',
  'odd/a:b "c" \\d.md': 'y',
  'odd/new\nline': 'z',
  'odd/\ufffd': 'a real replacement character',
} as const;

function open(
  repository: TestRepository,
  objectFormat: 'sha1' | 'sha256',
  commit = repository.commits[0] ?? '',
) {
  const reader = openBatchReader({ gitDirectory: repository.gitDirectory, objectFormat });
  readers.push(reader);
  let reads = 0;
  const counting = {
    ...reader,
    read: (name: string) => {
      reads += 1;
      return reader.read(name);
    },
  };
  return { snapshot: openGitSnapshot({ reader: counting, commit: commitId(commit) }), reads: () => reads };
}

describe.each(['sha1', 'sha256'] as const)('openGitSnapshot on %s', objectFormat => {
  const submodule = objectFormat === 'sha1' ? files.vendored : { submodule: 'c'.repeat(64) };
  const repository = makeRepository(
    join(root, objectFormat),
    [{ files: { ...files, vendored: submodule } }],
    { objectFormat },
  );
  const head = repository.commits[0] ?? '';

  it('lists what git ls-tree lists, in code unit order', async () => {
    const entries = await open(repository, objectFormat).snapshot.list();
    const expected = lsTree(repository, head, '-r').map(([mode, , path = '']) => ({
      path: Buffer.from(path, 'latin1').toString('utf8'),
      mode,
    }));
    expect(entries).toEqual(expected.sort((a, b) => (a.path < b.path ? -1 : 1)));
  });

  it('gives the bytes and ids git gives', async () => {
    const { snapshot } = open(repository, objectFormat);
    for (const { path, mode } of await snapshot.list()) {
      const id = mode === '160000' ? undefined : repository.git('rev-parse', `${head}:${path}`);
      expect(await snapshot.blobId(path)).toBe(id);
      const bytes = await snapshot.read(path);
      if (id === undefined) expect(bytes).toBeUndefined();
      else expect(bytes).toEqual(execFileSync('git', ['-C', repository.directory, 'cat-file', 'blob', id]));
    }
  });

  it('shows the folders among the children', async () => {
    const { snapshot } = open(repository, objectFormat);
    const children = await snapshot.children(repoPath('skills'));
    expect(children.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
      '040000 skills/a',
      '100644 skills/a.md',
      '120000 skills/link',
    ]);
    expect((await snapshot.children('')).map(({ path }) => path)).toContain('vendored');
  });

  it('finds nothing through files, symlinks, submodules and folders', async () => {
    const { snapshot } = open(repository, objectFormat);
    for (const path of [
      'none',
      'skills',
      'skills/link/x',
      'README.md/x',
      'vendored/x',
      'vendored',
      'Readme.md',
    ]) {
      expect(await snapshot.read(repoPath(path))).toBeUndefined();
      expect(await snapshot.blobId(repoPath(path))).toBeUndefined();
    }
    expect(await snapshot.children(repoPath('README.md'))).toEqual([]);
    expect(await snapshot.children(repoPath('none/at/all'))).toEqual([]);
  });
});

describe('openGitSnapshot', () => {
  const many = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [
      `skills/s${index % 50}/references/f${index}.md`,
      `${index % 7}\n`,
    ]),
  );
  const repository = makeRepository(join(root, 'many'), [{ files: many }]);

  it('reads one file by the folders above it alone, and each folder once', async () => {
    const { snapshot, reads } = open(repository, 'sha1');
    const path = repoPath('skills/s1/references/f1.md');
    await Promise.all([snapshot.read(path), snapshot.blobId(path), snapshot.children(repoPath('skills/s1'))]);
    expect(reads()).toBe(5); // root, skills, s1, references, the blob
  });

  it('rejects when the commit is not there', async () => {
    const { snapshot } = open(repository, 'sha1', 'd'.repeat(40));
    await expect(snapshot.list()).rejects.toMatchObject({ code: 'git-object-missing' });
  });

  it('leaves out names that are not UTF-8, which no path can mean', async () => {
    const blob = repository.git('hash-object', '-w', '--stdin');
    const line = Buffer.concat([
      Buffer.from(`100644 blob ${blob}\tbad-\xff\0`, 'latin1'),
      Buffer.from(`100644 blob ${blob}\tgood\0`),
    ]);
    const tree = execFileSync('git', ['-C', repository.directory, 'mktree', '-z'], { input: line })
      .toString()
      .trim();
    const { snapshot } = open(repository, 'sha1', repository.git('commit-tree', '-m', 'odd', tree));
    expect(await snapshot.list()).toEqual([{ path: 'good', mode: '100644' }]);
    expect(await snapshot.read(repoPath('bad-\ufffd'))).toBeUndefined();
  });
});
