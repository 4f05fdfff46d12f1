import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A temporary folder for one test file; removed after its last test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillkeeper-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}
