/** What every fetch of ours says: nothing but what was asked for, nothing left behind, nothing started. */
export const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-show-forced-updates',
  '--no-recurse-submodules',
] as const;
