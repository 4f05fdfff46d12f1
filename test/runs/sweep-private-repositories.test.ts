import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { privateFolder, sweepPrivateRepositories } from '../../src/runs/sweep-private-repositories.ts';
import { scratchFolder } from '../git/scratch.ts';

const scratch = scratchFolder();

it('removes what a killed process left hours ago, and nothing that may be in use', async () => {
  const now = Date.now();
  await sweepPrivateRepositories(scratch, now);
  const folder = privateFolder(scratch);
  for (const name of ['old', 'new']) mkdirSync(join(folder, name, 'objects'), { recursive: true });
  utimesSync(join(folder, 'old'), new Date(now - 2 * 3_600_000), new Date(now - 2 * 3_600_000));
  await sweepPrivateRepositories(scratch, now);
  expect(readdirSync(folder)).toEqual(['new']);
});
