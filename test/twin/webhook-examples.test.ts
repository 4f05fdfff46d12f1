import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { loadContract } from './openapi/contract.ts';
import { WEBHOOKS } from './openapi/served.ts';

interface Examples {
  readonly name: string;
  readonly examples: readonly { readonly action?: string }[];
}

/**
 * Recordings older than a field that the schemas by now require, and two that say `""` where a URL belongs.
 * Everything else in them holds.
 */
const OUTDATED: Readonly<Record<string, string>> = {
  'check_run.rerequested': "/check_run must have required property 'node_id'",
  'installation.created': "/installation must have required property 'app_slug'",
  'installation.deleted': "/installation must have required property 'app_slug'",
  'issue_comment.created': "/comment must have required property 'performed_via_github_app'",
  'issues.edited': "/issue must have required property 'active_lock_reason'",
  'merge_group.checks_requested': '/repository/homepage must match format "uri"',
  'pull_request.opened': "/pull_request must have required property 'auto_merge'",
  'pull_request.synchronize': "/pull_request/base/repo must have required property 'has_discussions'",
  push: "/repository must have required property 'has_discussions'",
};

it('finds recorded webhooks of GitHub as the schemas say, but for the fields that are newer', () => {
  const all = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly Examples[];
  const contract = loadContract();
  let count = 0;
  let valid = 0;
  const unexpected: string[] = [];
  for (const { name, examples } of all) {
    for (const [index, payload] of examples.entries()) {
      const key = payload.action === undefined ? name : `${name}.${payload.action}`;
      if (!(key in WEBHOOKS)) continue;
      count += 1;
      const problem = contract.checkPayload(name, payload.action ?? null, payload);
      if (problem === null) valid += 1;
      else if (!problem.startsWith(OUTDATED[key] ?? 'nothing'))
        unexpected.push(`${key} ${index}: ${problem}`);
    }
  }
  expect(unexpected).toEqual([]);
  expect([count, valid]).toEqual([63, 44]);
});
