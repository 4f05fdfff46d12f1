import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createBatchParser } from '../../src/git/batch-parser.ts';
import { openBatchReader } from '../../src/git/batch-reader.ts';
import { makeRepository } from '../twin/make-repository.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const contents = fc.sample(fc.uint8Array({ maxLength: 3000, size: 'max' }), { numRuns: 60, seed: 7 });
const big = Buffer.alloc(700_000, 'big line\n');
const repository = makeRepository(join(root, 'repository.git'), [
  {
    files: {
      ...Object.fromEntries(contents.map((bytes, index) => [`files/${index}`, bytes])),
      empty: '',
      lines: '\n\n',
      'looks like a header': `${'a'.repeat(40)} blob 3\nabc\n`,
      'name with blanks ü': 'x',
      big,
      module: { submodule: 'c'.repeat(40) },
    },
  },
]);
const head = repository.commits[0] ?? '';
const place = { gitDirectory: repository.gitDirectory, objectFormat: 'sha1' } as const;
const oracle = (name: string): Buffer =>
  execFileSync('git', ['--git-dir', repository.gitDirectory, 'cat-file', 'blob', name], {
    maxBuffer: 1 << 24,
  });

const reader = openBatchReader(place);
afterAll(() => reader.close());

describe('openBatchReader', () => {
  it.each(['empty', 'lines', 'looks like a header', 'name with blanks ü', 'big'])(
    'reads %s as git does',
    async path => {
      const object = await reader.read(`${head}:${path}`);
      expect(object?.type).toBe('blob');
      expect(object?.id).toBe(repository.git('rev-parse', `${head}:${path}`));
      expect(object?.bytes.equals(oracle(`${head}:${path}`))).toBe(true);
    },
  );

  it('answers overlapping reads in order, byte for byte', async () => {
    const index = fc.integer({ min: 0, max: contents.length - 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(index, { nil: undefined }), { maxLength: 80 }), async asked => {
        const reads = asked.map(at => reader.read(`${head}:files/${at ?? 'none'}`));
        const answers = await Promise.all(reads);
        answers.forEach((object, position) => {
          const at = asked[position];
          if (at === undefined) expect(object).toBeUndefined();
          else expect(object?.bytes.equals(contents[at] ?? Buffer.of())).toBe(true);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('reads trees and commits', async () => {
    const [tree, commit] = await Promise.all([reader.read(`${head}^{tree}`), reader.read('refs/heads/main')]);
    expect(tree).toMatchObject({ type: 'tree', id: repository.git('rev-parse', `${head}^{tree}`) });
    expect(commit?.bytes.toString()).toContain(`tree ${tree?.id}`);
  });

  it('gives undefined for what is not there', async () => {
    const names = [`${head}:none`, `${head}:module`, 'f'.repeat(40), 'refs/heads/none', `${head}:a missing`];
    expect(await Promise.all(names.map(reader.read))).toEqual(names.map(() => undefined));
  });

  it.each([
    `${'a'.repeat(40)}\n${'b'.repeat(40)}`,
    `${head}:a\nb`,
    `${head}:a\0b`,
    '',
    'HEAD',
    'main',
    '-x',
    '@{u}',
    'refs/heads/main@{u}',
    ':/message',
    ':0:path',
    `${head}:./empty`,
    `${head}:../empty`,
    `${head}^{/regex}`,
    'abc123',
  ])('refuses the name %j and goes on', async name => {
    await expect(reader.read(name)).rejects.toMatchObject({ code: 'git-bad-name' });
    expect((await reader.read(`${head}:lines`))?.bytes.toString()).toBe('\n\n');
  });

  it('skips an object above the cap and goes on', async () => {
    const small = openBatchReader(place, { maxObjectBytes: 1000 });
    const reads = [small.read(`${head}:big`), small.read(`${head}:lines`)];
    await expect(reads[0]).rejects.toMatchObject({ code: 'git-object-too-large' });
    expect((await reads[1])?.bytes.toString()).toBe('\n\n');
    await small.close();
  });

  it('answers what was asked before it was closed, and nothing after', async () => {
    const other = openBatchReader(place);
    const read = other.read(`${head}:big`);
    await other.close();
    expect((await read)?.bytes.equals(big)).toBe(true);
    await expect(other.read(`${head}:lines`)).rejects.toMatchObject({ code: 'git-failed' });
    await other.close();
  });

  it('fails what waits when its process ends', async () => {
    const cancel = new AbortController();
    const other = openBatchReader(place, { signal: cancel.signal });
    const reads = Array.from({ length: 200 }, () => other.read(`${head}:big`));
    const results = Promise.allSettled(reads);
    await reads[0];
    cancel.abort();
    const failed = (await results).filter(result => result.status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]?.reason).toMatchObject({ code: 'git-failed', retry: 'now' });
    await other.close();
  });

  it('fails every read of a repository that is not there', async () => {
    const other = openBatchReader({ gitDirectory: root, objectFormat: 'sha1' });
    await expect(other.read(head)).rejects.toThrow(/not a git repository/);
    await other.close();
  });
});

describe('createBatchParser', () => {
  it('does not care where the chunks are cut', () => {
    const id = 'd'.repeat(40);
    const stream = Buffer.from(
      `${id} blob 5\nab\ncd\nsome name missing\n${id} tree 0\n\n${id} blob 9\n123456789\n`,
    );
    const cuts = fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, places => {
        const seen: string[] = [];
        const parse = createBatchParser({ maxObjectBytes: 8 }, answer => {
          seen.push(answer.kind === 'object' ? answer.object.bytes.toString() : answer.kind);
        });
        const edges = [0, ...places.sort((a, b) => a - b), stream.length];
        edges.slice(1).forEach((end, index) => {
          parse(stream.subarray(edges[index], end));
        });
        expect(seen).toEqual(['ab\ncd', 'line', '', 'too-large']);
      }),
    );
  });

  it('refuses a stream that is not what it says', () => {
    const parse = createBatchParser({ maxObjectBytes: 8 }, () => {});
    expect(() => parse(Buffer.from(`${'d'.repeat(40)} blob 1\nab\n`))).toThrow(/longer than its header says/);
  });
});
