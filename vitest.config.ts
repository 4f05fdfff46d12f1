import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/house/fix-seed.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    // Most files wait for processes, not for a processor.
    maxWorkers: 3,
  },
});
