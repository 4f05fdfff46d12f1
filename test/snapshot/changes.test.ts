import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges } from '../../src/snapshot/apply-changes.ts';
import { computeBlobId } from '../../src/snapshot/blob-id.ts';
import type { Change } from '../../src/snapshot/change-set.ts';
import { checkChanges } from '../../src/snapshot/check-changes.ts';
import { findEntry, findOccupant } from '../../src/snapshot/find-entry.ts';
import type { RepoPath } from '../../src/snapshot/repo-path.ts';
import { resolvePath } from '../../src/snapshot/resolve-path.ts';
import { makeSnapshot } from './make-snapshot.ts';

const at = (path: string) => path as RepoPath;
const idOf = (text: string) => computeBlobId(Buffer.from(text));
const put = (path: string, text = 'new', expected: string | null = null): Change => ({
  kind: 'put',
  path: at(path),
  bytes: Buffer.from(text),
  mode: '100644',
  expected: expected === null ? null : idOf(expected),
});

const tree = makeSnapshot({
  'a/file.md': 'old',
  'b/x.md': 'x',
  link: { mode: '120000', text: 'a' },
  out: { mode: '120000', text: '../elsewhere' },
  absolute: { mode: '120000', text: '/etc' },
  round: { mode: '120000', text: 'round' },
  'a/up.md': { mode: '120000', text: '../b/x.md' },
  chain: { mode: '120000', text: 'link/up.md' },
  git: { mode: '120000', text: '.git/config' },
  module: { mode: '160000', text: '' },
});

describe('computeBlobId', () => {
  it('gives the id git gives', () => {
    for (const text of ['', 'hello\n', 'é😀\r\n\0']) {
      const byGit = execFileSync('git', ['hash-object', '--stdin'], { input: text }).toString().trim();
      expect(idOf(text)).toBe(byGit);
    }
  });
});

describe('checkChanges', () => {
  it('lets a new file, a changed file, a removal and a move pass', async () => {
    const changes: Change[] = [
      put('a/new/deep.md'),
      put('a/file.md', 'new', 'old'),
      { kind: 'move', from: at('b/x.md'), to: at('c/x.md'), expected: idOf('x') },
    ];
    expect(await checkChanges(tree, changes)).toEqual({ kind: 'ok' });
    expect(await checkChanges(tree, [{ kind: 'delete', path: at('b/x.md'), expected: idOf('x') }])).toEqual({
      kind: 'ok',
    });
  });

  it.each([
    ['../x.md', 'climbs out'],
    ['/x.md', 'absolute'],
    ['.git/hooks/pre-commit', '`.git`'],
    ['.github/workflows/ci.yml', 'workflow files'],
    ['.GITHUB/workflows/ci.yml', 'workflow files'],
    ['./a/x.md', 'shortest form'],
    ['link/x.md', 'a symlink'],
    ['out/x.md', 'a symlink'],
    ['module/x.md', 'a submodule'],
    ['a/file.md/x.md', 'a file'],
  ])('never lets %s be written', async (path, why) => {
    expect(await checkChanges(tree, [put(path)])).toEqual({
      kind: 'unsafe',
      path,
      why: expect.stringContaining(why),
    });
  });

  it.each([
    ['a/file.md', 'a/file.md'],
    ['A/other.md', 'a'],
    ['a/FILE.md', 'a/file.md'],
    ['LINK', 'link'],
    ['a', 'a'],
  ])('calls %s taken when %s stands there', async (path, occupant) => {
    expect(await checkChanges(tree, [put(path)])).toEqual({
      kind: 'stale',
      path,
      why: `\`${occupant}\` stands there already`,
    });
  });

  it('notices that a file changed, vanished or is no file any more', async () => {
    expect(await checkChanges(tree, [put('a/file.md', 'new', 'other')])).toMatchObject({
      kind: 'stale',
      why: 'its content changed meanwhile',
    });
    expect(await checkChanges(tree, [put('a/gone.md', 'new', 'old')])).toMatchObject({
      kind: 'stale',
      why: 'it is gone',
    });
    expect(await checkChanges(tree, [put('link', 'new', 'a')])).toMatchObject({
      kind: 'unsafe',
      why: 'it is no regular file',
    });
  });

  it('refuses two changes of one path, also when they differ only in case', async () => {
    expect(await checkChanges(tree, [put('n.md'), put('N.md')])).toMatchObject({
      kind: 'unsafe',
      path: 'N.md',
    });
  });
});

describe('applyChanges', () => {
  it('shows the tree after the changes and leaves the one before as it was', async () => {
    const after = applyChanges(tree, [
      put('a/file.md', 'new', 'old'),
      put('n/x.md'),
      { kind: 'move', from: at('b/x.md'), to: at('c/y.md'), expected: idOf('x') },
    ]);
    const text = async (path: string) => Buffer.from((await after.read(at(path))) ?? []).toString();
    expect(await text('a/file.md')).toBe('new');
    expect(await text('c/y.md')).toBe('x');
    expect(await after.read(at('b/x.md'))).toBeUndefined();
    expect(await after.blobId(at('n/x.md'))).toBe(idOf('new'));
    expect((await after.children('')).map(({ path }) => path)).toContain('n');
    expect((await after.children('')).map(({ path }) => path)).not.toContain('b');
    expect(Buffer.from((await tree.read(at('a/file.md'))) ?? []).toString()).toBe('old');
  });

  it('lists what a map with the same changes holds', async () => {
    const path = fc.constantFrom('a', 'b/c', 'b/d', 'e/f/g');
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(path, fc.string()),
        fc.dictionary(path, fc.string()),
        async (before, changed) => {
          const after = applyChanges(
            makeSnapshot(before),
            Object.entries(changed).map(([name, text]) => put(name, text, before[name] ?? null)),
          );
          const merged = { ...before, ...changed };
          expect((await after.list()).map(entry => entry.path)).toEqual(Object.keys(merged).sort());
          for (const [name, text] of Object.entries(merged))
            expect(Buffer.from((await after.read(at(name))) ?? []).toString()).toBe(text);
        },
      ),
    );
  });
});

describe('resolvePath', () => {
  it.each([
    ['a/file.md', 'a/file.md', false],
    ['link/file.md', 'a/file.md', true],
    ['a/up.md', 'b/x.md', true],
    ['chain', 'b/x.md', true],
    ['link', 'a', true],
  ])('follows %s to %s', async (path, to, throughSymlink) => {
    expect(await resolvePath(tree, at(path))).toMatchObject({
      kind: 'found',
      entry: { path: to },
      throughSymlink,
    });
  });

  it.each([
    ['out', 'out of the repository'],
    ['out/x', 'out of the repository'],
    ['absolute', 'out of the repository'],
    ['git', 'out of the repository'],
    ['round', 'circle'],
    ['module/x', 'submodule'],
  ])('refuses %s', async (path, why) => {
    expect(await resolvePath(tree, at(path))).toEqual({ kind: 'unsafe', why: expect.stringContaining(why) });
  });

  it('says when nothing is there', async () => {
    expect(await resolvePath(tree, at('a/none.md'))).toEqual({ kind: 'absent' });
    expect(await resolvePath(tree, at('a/file.md/x'))).toEqual({ kind: 'absent' });
  });
});

describe('findEntry and findOccupant', () => {
  it('compare exactly, and as a file system might', async () => {
    expect(await findEntry(tree, at('A/file.md'))).toBeUndefined();
    expect(await findOccupant(tree, at('A/file.md'))).toMatchObject({ path: 'a' });
    expect(await findOccupant(tree, at('a/none.md'))).toBeUndefined();
    expect(await findOccupant(tree, at('a/file.md/x'))).toMatchObject({ path: 'a/file.md' });
  });
});
