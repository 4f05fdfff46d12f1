import { it } from 'vitest';

import { killBetweenSteps } from './kill-between-steps.ts';

it('a worker killed between any two steps leaves one commit and one answer, embedded queue', async () => {
  await killBetweenSteps('embedded');
}, 400_000);
