import { createRequire } from 'node:module';
import type { EmitterWebhookEvent } from '@octokit/webhooks';
import { describe, expect, it } from 'vitest';
import { parseJob } from '../../queues/jobs.ts';
import { jobsOfEvent } from '../../src/app/jobs-of-event.ts';

const examples = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string;
  readonly examples: readonly Record<string, unknown>[];
}[];

const PLACE = { installation: { id: 5 }, repository: { id: 42, default_branch: 'main' } };
const at = { installationId: 5, repositoryId: 42 };
const event = (name: string, payload: object) =>
  ({ id: 'x', name, payload: { ...PLACE, ...payload } }) as unknown as EmitterWebhookEvent;
const jobs = (name: string, payload: object) => jobsOfEvent(event(name, payload));

const comment = (body: string, more: object = {}) => ({
  action: 'created',
  issue: { number: 7 },
  sender: { type: 'User' },
  comment: { id: 9, body, created_at: '2026-12-01T10:00:00Z', user: { type: 'User' }, ...more },
});

describe('jobsOfEvent', () => {
  it('gives jobs that pass their schemas, or none, for every recorded event', () => {
    let seen = 0;
    for (const { name, examples: payloads } of examples) {
      for (const payload of payloads) {
        seen += 1;
        for (const { queue, job } of jobsOfEvent({
          id: 'x',
          name,
          payload,
        } as unknown as EmitterWebhookEvent)) {
          expect(parseJob(queue, job), name).toEqual(job);
        }
      }
    }
    expect(seen).toBeGreaterThan(150);
  });

  it('acknowledges a comment with commands and runs each of them', () => {
    const body = '/skillkeeper help\n\n/extract-section --target a --dry-run\n\n/skillkeeper nonsense';
    const [acknowledge, ...runs] = jobs('issue_comment', comment(body));
    expect(acknowledge).toMatchObject({ queue: 'acknowledge', job: { ...at, commentId: 9 } });
    expect(runs).toMatchObject([
      { queue: 'run', job: { ...at, issueNumber: 7, commentId: 9, commandIndex: 0, isWriting: false } },
      { queue: 'run', job: { commandIndex: 1, isWriting: true } },
      { queue: 'run', job: { commandIndex: 2, isWriting: false } },
    ]);
    expect(new Set(runs.map(({ job }) => (job as { runId: string }).runId)).size).toBe(3);
    expect(jobs('issue_comment', comment(body))).toEqual([acknowledge, ...runs]);
  });

  it.each<[string, object]>([
    ['an edited comment', { ...comment('/skillkeeper help'), action: 'edited' }],
    ['a deleted comment', { ...comment('/skillkeeper help'), action: 'deleted' }],
    ['a comment without a command', comment('hello')],
    ['a comment of a bot', comment('/skillkeeper help', { user: { type: 'Bot' } })],
    ['a comment through an app', comment('/skillkeeper help', { performed_via_github_app: { id: 1 } })],
    ['an event a bot sent', { ...comment('/skillkeeper help'), sender: { type: 'Bot' } }],
    ['an event without an installation', { ...comment('/skillkeeper help'), installation: undefined }],
  ])('hears nothing in %s', (_what, payload) => {
    expect(jobs('issue_comment', payload)).toEqual([]);
  });

  it.each(['opened', 'synchronize', 'reopened', 'ready_for_review'])(
    'checks a pull request that was %s',
    action => {
      expect(jobs('pull_request', { action, pull_request: { number: 3 } })).toEqual([
        { queue: 'check', job: { kind: 'pull', ...at, pullNumber: 3, isRerun: false } },
      ]);
    },
  );

  it('checks an edited pull request only when its base changed', () => {
    const edited = (changes: object) =>
      jobs('pull_request', { action: 'edited', changes, pull_request: { number: 3 } });
    expect(edited({ base: { ref: { from: 'main' } } })).toHaveLength(1);
    expect(edited({ title: { from: 'x' } })).toEqual([]);
    expect(jobs('pull_request', { action: 'labeled', pull_request: { number: 3 } })).toEqual([]);
  });

  it('checks merge groups, and again what somebody asks for, a fork by its commit', () => {
    const sha = 'a'.repeat(40);
    expect(
      jobs('merge_group', {
        action: 'checks_requested',
        merge_group: { head_sha: sha, base_sha: 'b'.repeat(40) },
      }),
    ).toMatchObject([{ job: { kind: 'merge-group', headSha: sha } }]);
    expect(
      jobs('merge_group', { action: 'destroyed', merge_group: { head_sha: sha, base_sha: sha } }),
    ).toEqual([]);
    const rerun = {
      action: 'rerequested',
      check_run: { head_sha: sha, pull_requests: [{ number: 3 }, { number: 4 }] },
    };
    expect(jobs('check_run', rerun)).toMatchObject([
      { job: { pullNumber: 3, isRerun: true } },
      { job: { pullNumber: 4 } },
    ]);
    expect(
      jobs('check_suite', { action: 'rerequested', check_suite: { head_sha: sha, pull_requests: [] } }),
    ).toMatchObject([{ job: { kind: 'commit', headSha: sha, isRerun: true } }]);
    expect(jobs('check_run', { ...rerun, action: 'completed' })).toEqual([]);
  });

  it('follows the default branch, and forgets what the app lost', () => {
    expect(jobs('push', { ref: 'refs/heads/main', deleted: false })).toMatchObject([
      { job: { kind: 'refresh-store', ...at } },
    ]);
    expect(jobs('push', { ref: 'refs/heads/topic', deleted: false })).toEqual([]);
    const forget = [{ queue: 'maintain', job: { kind: 'forget-repository', repositoryId: 8 } }];
    expect(jobs('installation', { action: 'deleted', repositories: [{ id: 8 }] })).toEqual(forget);
    expect(jobs('installation', { action: 'suspend', repositories: [{ id: 8 }] })).toEqual(forget);
    expect(jobs('installation', { action: 'created', repositories: [{ id: 8 }] })).toEqual([]);
    expect(
      jobs('installation_repositories', { action: 'removed', repositories_removed: [{ id: 8 }] }),
    ).toEqual(forget);
    expect(jobs('repository', { action: 'deleted', repository: { id: 8 } })).toEqual(forget);
    expect(jobs('repository', { action: 'renamed', repository: { id: 8 } })).toEqual([]);
  });
});
