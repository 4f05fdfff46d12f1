import { expect, it } from 'vitest';
import { composeCommandReference, readCommandReference } from './command-reference.ts';

it('docs/command-line.md says what the commands say (npm run docs writes it anew)', () => {
  expect(readCommandReference()).toBe(composeCommandReference());
});
