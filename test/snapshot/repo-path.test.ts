import { describe, expect, it } from 'vitest';
import {
  foldPath,
  isWithin,
  isWorkflowPath,
  parentOf,
  parseRepoPath,
  repoPath,
} from '../../src/snapshot/repo-path.ts';

describe('parseRepoPath', () => {
  it.each([
    ['a/b.md', 'a/b.md'],
    ['./a//b.md', 'a/b.md'],
    ['a/', 'a'],
    ['.github/x.md', '.github/x.md'],
    ['.gitignore', '.gitignore'],
    ['a/.gitkeep', 'a/.gitkeep'],
    ['-rf', '-rf'],
    ['a b/é😀.md', 'a b/é😀.md'],
    ['$(x)`y`;z', '$(x)`y`;z'],
    ['...', '...'],
  ])('reads %j', (text, path) => {
    expect(parseRepoPath(text)).toEqual({ kind: 'ok', path });
  });

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['.', 'names no file'],
    ['..', 'climbs out'],
    ['a/../b', 'climbs out'],
    ['a/..', 'climbs out'],
    ['/etc/passwd', 'absolute'],
    ['~', '`~`'],
    ['~/x.md', '`~`'],
    ['a\\b', 'backslash'],
    ['a\0b', 'NUL'],
    ['a\nb', 'control character'],
    ['a\u001bb', 'control character'],
    ['\ud800', 'surrogate'],
    ['.git', '`.git`'],
    ['a/.git/config', '`.git`'],
    ['.GIT/x', '`.git`'],
    ['.git./x', '`.git`'],
    ['.git /x', '`.git`'],
    ['git~1/x', '`.git`'],
    ['.g\u200cit/config', '`.git`'],
    ['.git\ufeff/config', '`.git`'],
    ['.git::$INDEX_ALLOCATION/x', '`.git`'],
    ['c:/x', 'colon'],
    ['a.md:stream', 'colon'],
    [`${'a'.repeat(256)}`, '255 bytes'],
    [`${'a/'.repeat(2100)}b`, '4096 bytes'],
  ])('refuses %j and says why', (text, why) => {
    expect(parseRepoPath(text)).toEqual({ kind: 'unsafe', why: expect.stringContaining(why) });
  });
});

describe('paths', () => {
  it('knows workflow files in any case, and nothing that only looks alike', () => {
    expect(
      ['.github/workflows', '.github/workflows/ci.yml', '.GitHub/Workflows/x'].map(isWorkflowPath),
    ).toEqual([true, true, true]);
    expect(['.github/workflows.md', 'a/.github/workflows/x', '.github/x'].map(isWorkflowPath)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('folds what a case-insensitive or normalising file system takes for one path', () => {
    expect(foldPath('A/É.md')).toBe(foldPath('a/e\u0301.MD'));
    expect(foldPath('straße')).toBe(foldPath('STRASSE'));
    expect(foldPath('a')).not.toBe(foldPath('b'));
  });

  it('walks up and down', () => {
    expect(parentOf(repoPath('a/b/c'))).toBe('a/b');
    expect(parentOf(repoPath('a'))).toBe('');
    expect(isWithin('', repoPath('a'))).toBe(true);
    expect(isWithin(repoPath('a'), repoPath('a/b'))).toBe(true);
    expect(isWithin(repoPath('a'), repoPath('ab'))).toBe(false);
  });
});
