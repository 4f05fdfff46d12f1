import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitWorkingDirectory } from '../../src/git/commit-working-directory.ts';
import { findCheckout } from '../../src/git/find-checkout.ts';
import { openWorkingDirectory } from '../../src/git/working-directory.ts';
import { writeWorkingDirectory } from '../../src/git/write-working-directory.ts';
import { computeBlobId } from '../../src/snapshot/blob-id.ts';
import type { Change } from '../../src/snapshot/change-set.ts';
import type { RepoPath } from '../../src/snapshot/repo-path.ts';
import { type FileSpec, makeRepository } from '../twin/make-repository.ts';
import { scratchFolder } from './scratch.ts';

const scratch = scratchFolder();
const at = (path: string) => path as RepoPath;
const put = (path: string, text: string, expected: string | null = null): Change => ({
  ...{ kind: 'put', path: at(path), bytes: Buffer.from(text), mode: '100644' },
  expected: expected === null ? null : computeBlobId(Buffer.from(expected)),
});

let count = 0;
function makeCheckout(files: Record<string, FileSpec>) {
  count += 1;
  const repository = makeRepository(join(scratch, `checkout-${count}`), [{ files }], { workTree: true });
  repository.git('config', 'user.name', 'A Maintainer');
  repository.git('config', 'user.email', 'maintainer@example.com');
  return repository;
}

const readText = (root: string, path: string) => readFileSync(join(root, path), 'utf8');

describe('findCheckout', () => {
  it('finds the root from a folder below, and refuses what is no working tree', async () => {
    const { directory } = makeCheckout({ 'a/b.md': 'x' });
    expect(await findCheckout(join(directory, 'a'))).toMatchObject({ kind: 'found', prefix: 'a' });
    expect(await findCheckout(directory)).toMatchObject({ kind: 'found', prefix: '' });
    expect(await findCheckout(scratch)).toMatchObject({
      kind: 'not-a-repository',
      why: expect.stringContaining('not a git repository'),
    });
    expect(await findCheckout(join(scratch, 'nowhere'))).toMatchObject({
      kind: 'not-a-repository',
      why: 'there is no such folder',
    });
  });

  it('works before the first commit', async () => {
    const directory = join(scratch, 'unborn');
    execFileSync('git', ['init', '-q', directory]);
    expect(await findCheckout(directory)).toMatchObject({ kind: 'found' });
  });
});

describe('openWorkingDirectory', () => {
  it('lists tracked and untracked files that are not ignored, as git sees them', async () => {
    const { directory, git } = makeCheckout({
      'a.md': 'x',
      'run.sh': { content: 'x', executable: true },
      link: { symlink: 'a.md' },
      '.gitignore': 'ignored*\n',
    });
    writeFileSync(join(directory, 'new.md'), 'x');
    writeFileSync(join(directory, 'ignored.md'), 'x');
    const entries = await openWorkingDirectory(directory).list();
    const byGit = git('ls-files', '--cached', '--others', '--exclude-standard').split('\n').sort();
    expect(entries.map(({ path }) => path)).toEqual(byGit);
    expect(Object.fromEntries(entries.map(({ path, mode }) => [path, mode]))).toMatchObject({
      'run.sh': '100755',
      link: '120000',
      'new.md': '100644',
    });
  });

  it('shows ignored files where a name is taken, and never the inside of .git', async () => {
    const { directory } = makeCheckout({ '.gitignore': 'ignored.md\n' });
    writeFileSync(join(directory, 'ignored.md'), 'x');
    const children = await openWorkingDirectory(directory).children('');
    expect(children.map(({ path }) => path).sort()).toEqual(['.gitignore', 'ignored.md']);
  });

  it('reads a link as its text and follows no folder that is one', async () => {
    const { directory } = makeCheckout({ 'a/x.md': 'inside' });
    symlinkSync('a', join(directory, 'link'));
    symlinkSync('/etc', join(directory, 'etc'));
    const snapshot = openWorkingDirectory(directory);
    expect(Buffer.from((await snapshot.read(at('link'))) ?? []).toString()).toBe('a');
    expect(await snapshot.read(at('link/x.md'))).toBeUndefined();
    expect(await snapshot.read(at('etc/hostname'))).toBeUndefined();
    expect(await snapshot.children(at('etc'))).toEqual([]);
  });

  it('shows a nested repository as a submodule', async () => {
    const { directory } = makeCheckout({ 'a.md': 'x' });
    execFileSync('git', ['init', '-q', join(directory, 'nested')]);
    expect(await openWorkingDirectory(directory).children('')).toContainEqual({
      path: 'nested',
      mode: '160000',
    });
  });

  it('keeps what it read, so that a plan rests on one state', async () => {
    const { directory } = makeCheckout({ 'a.md': 'one' });
    const snapshot = openWorkingDirectory(directory);
    await snapshot.read(at('a.md'));
    writeFileSync(join(directory, 'a.md'), 'two');
    expect(await snapshot.blobId(at('a.md'))).toBe(computeBlobId(Buffer.from('one')));
  });
});

describe('writeWorkingDirectory', () => {
  it('writes, creates folders, keeps permissions and leaves nothing else behind', async () => {
    const { directory, git } = makeCheckout({ 'a.md': 'old' });
    chmodSync(join(directory, 'a.md'), 0o640);
    const outcome = await writeWorkingDirectory(directory, [
      put('x/y/new.md', 'new'),
      put('a.md', 'changed', 'old'),
    ]);
    expect(outcome.kind).toBe('written');
    expect([readText(directory, 'x/y/new.md'), readText(directory, 'a.md')]).toEqual(['new', 'changed']);
    expect(statSync(join(directory, 'a.md')).mode & 0o777).toBe(0o640);
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe(' M a.md\n?? x/y/new.md');
  });

  it('removes and moves', async () => {
    const { directory, git } = makeCheckout({ 'a.md': 'a', 'b.md': 'b' });
    const outcome = await writeWorkingDirectory(directory, [
      { kind: 'delete', path: at('a.md'), expected: computeBlobId(Buffer.from('a')) },
      { kind: 'move', from: at('b.md'), to: at('c/b.md'), expected: computeBlobId(Buffer.from('b')) },
    ]);
    expect(outcome.kind).toBe('written');
    expect(git('ls-files', '--deleted', '--others').split('\n').sort()).toEqual(['a.md', 'b.md', 'c/b.md']);
    expect(readText(directory, 'c/b.md')).toBe('b');
  });

  it.each([
    ['changed', (root: string) => writeFileSync(join(root, 'a.md'), 'other')],
    ['deleted', (root: string) => rmSync(join(root, 'a.md'))],
    [
      'turned into a link',
      (root: string) => {
        rmSync(join(root, 'a.md'));
        symlinkSync('b.md', join(root, 'a.md'));
      },
    ],
    ['given the name of the new file', (root: string) => mkdirSync(join(root, 'X'))],
  ])('writes nothing when a file was meanwhile %s', async (_what, disturb) => {
    const { directory } = makeCheckout({ 'a.md': 'old', 'b.md': 'b' });
    disturb(directory);
    const before = readdirSync(directory).sort();
    const outcome = await writeWorkingDirectory(directory, [
      put('x/new.md', 'new'),
      put('a.md', 'changed', 'old'),
    ]);
    expect(['stale', 'unsafe']).toContain(outcome.kind);
    expect(readdirSync(directory).sort()).toEqual(before);
  });

  it('takes everything back when the file system refuses a later file', async () => {
    const { directory } = makeCheckout({ 'a.md': 'old' });
    writeFileSync(join(directory, 'blocked'), ''); // a file where the next change needs a folder; the check is told otherwise
    const changes = [
      put('x/new.md', 'new'),
      put('a.md', 'changed', 'old'),
      { ...put('a.md', 'again', 'old'), path: at('y'.repeat(300)) },
    ];
    await expect(writeWorkingDirectory(directory, changes as Change[])).resolves.toMatchObject({
      kind: 'unsafe',
    });
    expect(existsSync(join(directory, 'x'))).toBe(false);
    expect(readText(directory, 'a.md')).toBe('old');
  });

  it('can be undone', async () => {
    const { directory, git } = makeCheckout({ 'a.md': 'old' });
    const outcome = await writeWorkingDirectory(directory, [
      put('x/new.md', 'new'),
      put('a.md', 'changed', 'old'),
    ]);
    if (outcome.kind !== 'written') throw new Error(outcome.why);
    await outcome.undo();
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
    expect(existsSync(join(directory, 'x'))).toBe(false);
  });

  it('never writes through a symlink', async () => {
    const { directory } = makeCheckout({ 'a.md': 'x' });
    const outside = join(scratch, `outside-${count}`);
    mkdirSync(outside);
    symlinkSync(outside, join(directory, 'link'));
    expect(await writeWorkingDirectory(directory, [put('link/x.md', 'new')])).toMatchObject({
      kind: 'unsafe',
    });
    expect(readdirSync(outside)).toEqual([]);
    expect(lstatSync(join(directory, 'link')).isSymbolicLink()).toBe(true);
  });
});

describe('commitWorkingDirectory', () => {
  const place = async (directory: string) => {
    const found = await findCheckout(directory);
    if (found.kind !== 'found') throw new Error(found.why);
    return found;
  };

  it('commits exactly the change on HEAD, leaves other work uncommitted, runs no hook', async () => {
    const { directory, git } = makeCheckout({ 'a.md': 'old', 'other.md': 'o' });
    writeFileSync(join(directory, '.git/hooks-ran'), '');
    mkdirSync(join(directory, '.git/hooks'), { recursive: true });
    for (const hook of [
      'pre-commit',
      'post-commit',
      'commit-msg',
      'reference-transaction',
      'post-index-change',
    ]) {
      writeFileSync(join(directory, '.git/hooks', hook), '#!/bin/sh\necho ran >> .git/hooks-ran\n', {
        mode: 0o755,
      });
    }
    writeFileSync(join(directory, 'other.md'), 'staged');
    git('-c', 'core.hooksPath=/dev/null', 'add', 'other.md');
    writeFileSync(join(directory, 'untracked.md'), 'u');
    const outcome = await commitWorkingDirectory(
      await place(directory),
      [put('x/new.md', 'new'), put('a.md', 'changed', 'old')],
      'docs: move\n\nbody\n',
    );
    expect(outcome.kind).toBe('committed');
    // Before this test's own git runs, whose hooks are the checkout's.
    expect(readText(directory, '.git/hooks-ran')).toBe('');
    expect(git('show', '--format=%an <%ae>|%s|%b', '--name-status', 'HEAD')).toBe(
      'A Maintainer <maintainer@example.com>|docs: move|body\n\n\nM\ta.md\nA\tx/new.md',
    );
    expect(git('status', '--porcelain')).toBe('M  other.md\n?? untracked.md');
    expect(git('rev-list', '--count', 'HEAD')).toBe('2');
    expect(git('fsck', '--strict')).toBe('');
  });

  it('commits what line-end rules make of the files, and the working files keep theirs', async () => {
    const { directory, git } = makeCheckout({
      '.gitattributes': '*.md text eol=crlf\n',
      'a.md': 'one\ntwo\n',
    });
    git('checkout', '-f', 'HEAD');
    rmSync(join(directory, 'a.md'));
    git('checkout', 'a.md');
    expect(readText(directory, 'a.md')).toBe('one\r\ntwo\r\n');
    const outcome = await commitWorkingDirectory(
      await place(directory),
      [put('a.md', 'one\r\n', 'one\r\ntwo\r\n')],
      'm',
    );
    expect(outcome.kind).toBe('committed');
    expect(git('cat-file', 'blob', 'HEAD:a.md')).toBe('one');
    expect(readText(directory, 'a.md')).toBe('one\r\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  it.each<[string, (root: string, git: (...args: string[]) => string) => void, RegExp]>([
    [
      'the file has uncommitted changes',
      root => writeFileSync(join(root, 'a.md'), 'old!'),
      /`a\.md` has uncommitted changes/u,
    ],
    [
      'the file is staged',
      (root, git) => {
        writeFileSync(join(root, 'a.md'), 'old!');
        git('add', 'a.md');
        writeFileSync(join(root, 'a.md'), 'old');
      },
      /`a\.md` has uncommitted changes/u,
    ],
    [
      'a merge is under way',
      (root, git) => writeFileSync(join(root, '.git/MERGE_HEAD'), `${git('rev-parse', 'HEAD')}\n`),
      /MERGE_HEAD/u,
    ],
    ['another git holds the index', root => writeFileSync(join(root, '.git/index.lock'), ''), /index\.lock/u],
  ])('commits and writes nothing when %s', async (_what, disturb, why) => {
    const { directory, git } = makeCheckout({ 'a.md': 'old' });
    disturb(directory, git);
    const head = git('rev-parse', 'HEAD');
    const outcome = await commitWorkingDirectory(
      await place(directory),
      [put('a.md', 'changed', 'old')],
      'm',
    );
    expect(outcome).toMatchObject({ kind: 'not-clean', why: expect.stringMatching(why) });
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(readText(directory, 'a.md')).toMatch(/^old/u);
  });

  it('says so before the first commit', async () => {
    const directory = join(scratch, 'unborn-commit');
    execFileSync('git', ['init', '-q', directory]);
    writeFileSync(join(directory, 'a.md'), 'old');
    expect(
      await commitWorkingDirectory(await place(directory), [put('a.md', 'changed', 'old')], 'm'),
    ).toMatchObject({
      kind: 'not-clean',
      why: expect.stringContaining('no commit yet'),
    });
  });

  it('works on a detached HEAD and in a linked work tree', async () => {
    const { directory, git } = makeCheckout({ 'a.md': 'old' });
    const linked = join(scratch, `linked-${count}`);
    git('worktree', 'add', '-q', '--detach', linked);
    const outcome = await commitWorkingDirectory(await place(linked), [put('a.md', 'changed', 'old')], 'm');
    expect(outcome.kind).toBe('committed');
    expect(readText(directory, 'a.md')).toBe('old');
    expect(git('-C', linked, 'status', '--porcelain')).toBe('');
  });
});
