import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withFileLock } from '../../src/git/with-file-lock.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
let count = 0;
const newPath = (): string => join(root, `${++count}.lock`);
const quick = { heartbeatMs: 20, staleMs: 200, waitMs: 5000 };

describe('withFileLock', () => {
  it('lets one at a time through, and leaves no file', async () => {
    const path = newPath();
    let inside = 0;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        withFileLock(path, quick, async () => {
          inside += 1;
          expect(inside).toBe(1);
          await sleep(10);
          inside -= 1;
          return index;
        }),
      ),
    );
    expect(results).toEqual(Array.from({ length: 8 }, (_, value) => ({ kind: 'done', value })));
    expect(readdirSync(root).filter(name => name.startsWith(`${count}.lock`))).toEqual([]);
  });

  it('gives up after the wait while the holder lives, however long it works', async () => {
    const path = newPath();
    const long = withFileLock(path, quick, () => sleep(700));
    await sleep(20);
    expect(await withFileLock(path, { ...quick, waitMs: 500 }, async () => {})).toEqual({ kind: 'busy' });
    expect(await long).toMatchObject({ kind: 'done' });
  });

  it('takes the lock of one that crashed, after watching it stand still', async () => {
    const path = newPath();
    writeFileSync(path, 'nonce of a process that is gone');
    const start = performance.now();
    expect(await withFileLock(path, quick, async () => 'mine')).toEqual({ kind: 'done', value: 'mine' });
    expect(performance.now() - start).toBeGreaterThan(quick.staleMs - 1);
    expect(existsSync(path)).toBe(false);
  });

  it('lets one at a time through when many wait for a crashed one', async () => {
    const path = newPath();
    writeFileSync(path, 'nonce of a process that is gone');
    let inside = 0;
    const work = Array.from({ length: 6 }, () =>
      withFileLock(path, quick, async () => {
        expect(++inside).toBe(1);
        await sleep(15);
        inside -= 1;
      }),
    );
    expect((await Promise.all(work)).every(({ kind }) => kind === 'done')).toBe(true);
  });

  it('tells a holder that lost the lock, and leaves the lock to whoever has it', async () => {
    const path = newPath();
    await withFileLock(path, quick, async lost => {
      rmSync(path);
      writeFileSync(path, 'somebody else');
      await new Promise(resolve => lost.addEventListener('abort', resolve));
    });
    expect(readFileSync(path, 'utf8')).toBe('somebody else');
  });

  it('is released when the work fails', async () => {
    const path = newPath();
    const failing = withFileLock(path, quick, async () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await withFileLock(path, { ...quick, waitMs: 0 }, async () => 1)).toEqual({
      kind: 'done',
      value: 1,
    });
  });
});
