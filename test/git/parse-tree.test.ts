import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTree } from '../../src/git/parse-tree.ts';
import { makeRepository } from '../twin/make-repository.ts';
import { lsTree } from './ls-tree.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();

describe('parseTree', () => {
  it.each(['sha1', 'sha256'] as const)(
    'reads what git mktree wrote, as git ls-tree does (%s)',
    objectFormat => {
      const repository = makeRepository(join(root, `trees-${objectFormat}`), [{ files: { x: 'x' } }], {
        objectFormat,
      });
      const blob = repository.git('rev-parse', 'main:x');
      const tree = repository.git('rev-parse', 'main^{tree}');
      const kinds = [
        `100644 blob ${blob}`,
        `100755 blob ${blob}`,
        `120000 blob ${blob}`,
        `040000 tree ${tree}`,
        `160000 commit ${'c'.repeat(blob.length)}`,
      ];
      const name = fc
        .uint8Array({ minLength: 1, maxLength: 12 })
        .map(bytes => Buffer.from(bytes.map(byte => (byte === 0 || byte === 0x2f ? 0x61 : byte))));
      const entry = fc.record({ kind: fc.constantFrom(...kinds), name });
      fc.assert(
        fc.property(
          fc.uniqueArray(entry, { selector: ({ name: bytes }) => bytes.toString('latin1'), maxLength: 12 }),
          entries => {
            const input = Buffer.concat(
              entries.map(({ kind, name: bytes }) =>
                Buffer.concat([Buffer.from(`${kind}\t`), bytes, Buffer.of(0)]),
              ),
            );
            const id = execFileSync('git', ['-C', repository.directory, 'mktree', '-z', '--missing'], {
              input,
            })
              .toString()
              .trim();
            const raw = execFileSync('git', ['-C', repository.directory, 'cat-file', 'tree', id]);
            const parsed = parseTree(raw, objectFormat).map(({ mode, id: of, nameBytes }) => [
              mode,
              of,
              nameBytes.toString('latin1'),
            ]);
            expect(parsed).toEqual(lsTree(repository, id));
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it('reads the modes of old trees as git does', () => {
    const repository = makeRepository(join(root, 'modes'), [{ files: { x: 'x' } }]);
    const blob = Buffer.from(repository.git('rev-parse', 'main:x'), 'hex');
    const entry = (mode: string, name: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), blob]);
    const raw = Buffer.concat([
      entry('100664', 'a'),
      entry('100775', 'b'),
      entry('0100644', 'c'),
      entry('100600', 'd'),
    ]);
    const write = ['-C', repository.directory, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
    const id = execFileSync('git', write, { input: raw }).toString().trim();
    expect(parseTree(raw, 'sha1').map(({ mode }) => mode)).toEqual(
      lsTree(repository, id).map(([mode]) => mode),
    );
  });

  it('refuses bytes that are no tree, and only by its own fault', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
        try {
          parseTree(Buffer.from(bytes), 'sha1');
        } catch (fault) {
          expect(fault).toMatchObject({ code: 'git-bad-output' });
        }
      }),
    );
    const cut = Buffer.from(`100644 a\0${'x'.repeat(19)}`);
    expect(() => parseTree(cut, 'sha1')).toThrow(/cannot be read/);
  });
});
