import { expect, it } from 'vitest';
import { readManifest } from '../../src/app/compose-manifest.ts';

it('asks for exactly these rights', () => {
  expect(readManifest().default_permissions).toEqual({
    metadata: 'read',
    contents: 'write',
    checks: 'write',
    pull_requests: 'write',
    issues: 'write',
    merge_queues: 'read',
  });
});

it('never asks for a right it has no use for', () => {
  const asked = Object.keys(readManifest().default_permissions);
  for (const right of ['workflows', 'administration', 'members', 'actions', 'statuses', 'models'])
    expect(asked).not.toContain(right);
});

it('listens to exactly these events; those of the installation come by themselves and may not be listed', () => {
  expect(readManifest().default_events).toEqual([
    'issue_comment',
    'pull_request',
    'check_run',
    'check_suite',
    'merge_group',
    'push',
    'issues',
    'repository',
  ]);
});

it('is private until its owner says otherwise, and fits the name GitHub allows', () => {
  const { name, url, public: isPublic } = readManifest();
  expect(isPublic).toBe(false);
  expect(name.length).toBeLessThanOrEqual(34);
  expect(url).toMatch(/^https:\/\//);
});
