import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRefName, refName } from '../../src/git/ref-name.ts';

const gitAccepts = (name: string): boolean =>
  spawnSync('git', ['check-ref-format', name], { env: { PATH: process.env.PATH } }).status === 0;

describe('parseRefName', () => {
  it.each([
    'refs/heads/main',
    'refs/pull/12/head',
    'refs/skillkeeper/runs/r1',
    'refs/heads/-x',
    'refs/heads/@',
    'refs/heads/ü',
  ])('takes %s, as git does', name => {
    expect(parseRefName(name)).toEqual({ kind: 'ok', ref: name });
    expect(gitAccepts(name)).toBe(true);
  });

  it.each([
    '',
    'main',
    'heads/main',
    '-x',
    '--upload-pack=x',
    'refs/x',
    'HEAD',
    '+refs/heads/a',
    ':refs/heads/a',
    'refs/heads/a:b',
  ])('refuses %j', name => {
    expect(parseRefName(name).kind).toBe('unsafe');
    expect(() => refName(name)).toThrow(/not a ref name/);
  });

  it('agrees with git check-ref-format on names below refs/', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '..',
      '/',
      '@',
      '{',
      '@{',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '.lock',
      '-',
      '\t',
      '\u007f',
      'é',
      '\u{1f600}',
    );
    const tail = fc.array(piece, { minLength: 1, maxLength: 5 }).map(parts => parts.join(''));
    fc.assert(
      fc.property(tail, text => {
        const name = `refs/heads/${text}`;
        expect(parseRefName(name).kind === 'ok').toBe(gitAccepts(name));
      }),
      { numRuns: 150 },
    );
  });
});
