import type { Core } from '../core.ts';
import { readCommit } from '../git/read-commits.ts';
import type { Json } from '../present/account.ts';
import { presentRun, presentSuite, presentSuiteState } from '../present/check.ts';
import type { Account, CheckRun, CheckSuite } from '../world/world.ts';
import { emitEvent } from './emit.ts';

// "GitHub Apps with write access receive these": the rest goes to whoever subscribed.
const OWNER_ONLY = ['requested', 'rerequested', 'requested_action'];

export function emitRun(core: Core, run: CheckRun, action: string, sender: Account, more: Json = {}): void {
  const { world } = core;
  const { suite } = run;
  const presented = { ...presentRun(world, run), check_suite: presentSuiteState(world, suite) };
  const payload = { ...more, check_run: presented };
  const onlyTo = OWNER_ONLY.includes(action) ? { onlyTo: suite.app } : {};
  emitEvent(core, { repository: suite.repository, event: 'check_run', action, sender, payload, ...onlyTo });
}

export async function emitSuite(
  core: Core,
  suite: CheckSuite,
  action: string,
  sender: Account,
): Promise<void> {
  const commit = await readCommit(suite.repository, suite.headSha);
  const { repository: _, ...presented } = presentSuite(core.world, suite, commit);
  const onlyTo = OWNER_ONLY.includes(action) ? { onlyTo: suite.app } : {};
  const payload = { check_suite: presented };
  emitEvent(core, { repository: suite.repository, event: 'check_suite', action, sender, payload, ...onlyTo });
}
