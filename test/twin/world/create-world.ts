import { createClock } from './clock.ts';
import type { World } from './world.ts';

// Past 2^31, as GitHub's own comment and run ids are: a 32-bit field somewhere shows at once.
const FIRST_ID = 3_000_000_000;

export function createWorld(origin: string, root: string): World {
  let id = FIRST_ID;
  return {
    clock: createClock(),
    origin,
    root,
    nextId: () => ++id,
    accounts: new Map(),
    userTokens: new Map(),
    members: new Map(),
    apps: [],
    manifests: new Map(),
    installations: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    suites: new Map(),
    runs: new Map(),
    heldPullRefs: null,
  };
}
