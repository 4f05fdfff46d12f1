import type { EmitterWebhookEvent } from '@octokit/webhooks';
import type { JobOf, QueueName } from '../../queues/jobs.ts';
import { parseComment } from '../commands/parse-comment.ts';
import { digestComment, runIdOf } from '../runs/run-request.ts';

/** A job and the queue it goes to. */
export type QueuedJob = {
  readonly [Q in QueueName]: { readonly queue: Q; readonly job: JobOf<Q> };
}[QueueName];

/**
 * What an event asks for, from its payload alone and without a call to GitHub: ids, nothing that could be old by
 * the time the job runs. An event that is none of our business gives nothing.
 */
export function jobsOfEvent(event: EmitterWebhookEvent): QueuedJob[] {
  switch (event.name) {
    case 'issue_comment':
      return event.payload.action === 'created' ? jobsOfComment(event.payload) : [];
    case 'pull_request':
      return jobsOfPull(event.payload);
    case 'merge_group':
      return event.payload.action === 'checks_requested' ? jobsOfMergeGroup(event.payload) : [];
    case 'check_run':
    case 'check_suite':
      return event.payload.action === 'rerequested' ? jobsOfRerun(event) : [];
    case 'push':
      return jobsOfPush(event.payload);
    case 'installation':
      return event.payload.action === 'deleted' || event.payload.action === 'suspend'
        ? forgetRepositories(event.payload.repositories ?? [])
        : [];
    case 'installation_repositories':
      return forgetRepositories(event.payload.repositories_removed);
    case 'repository':
      return event.payload.action === 'deleted' ? forgetRepositories([event.payload.repository]) : [];
    default:
      return [];
  }
}

interface Place {
  readonly installationId: number;
  readonly repositoryId: number;
}

// Without an installation there is nobody to act as.
function placeOf(payload: {
  readonly installation?: { readonly id: number } | undefined;
  readonly repository?: { readonly id: number } | undefined;
}): Place | undefined {
  const { installation, repository } = payload;
  return installation && repository
    ? { installationId: installation.id, repositoryId: repository.id }
    : undefined;
}

type CommentCreated = Extract<EmitterWebhookEvent<'issue_comment'>['payload'], { action: 'created' }>;

function jobsOfComment(payload: CommentCreated): QueuedJob[] {
  const place = placeOf(payload);
  const { comment, issue, sender } = payload;
  // Bots do not command us, and we do not answer ourselves.
  if (!place || sender?.type === 'Bot' || comment.user?.type === 'Bot' || comment.performed_via_github_app)
    return [];
  const body = comment.body ?? '';
  const commands = parseComment(body);
  if (commands.length === 0) return [];
  const origin = { repositoryId: place.repositoryId, commentId: comment.id };
  const runs = commands.map(command => ({
    ...place,
    runId: runIdOf({ ...origin, commandIndex: command.index }),
    issueNumber: issue.number,
    commentId: comment.id,
    commandIndex: command.index,
    commentDigest: digestComment(body),
    commentCreatedAt: comment.created_at,
    // Whatever shows in the one sticky comment takes its turn, so that no two edits of it cross.
    isWriting: command.kind !== 'unknown' && command.spec.isWriting,
  }));
  return [
    {
      queue: 'acknowledge',
      job: { ...place, commentId: comment.id, runIds: runs.map(({ runId }) => runId) },
    },
    ...runs.map(job => ({ queue: 'run' as const, job })),
  ];
}

const CHECKED_ACTIONS: ReadonlySet<string> = new Set([
  'opened',
  'synchronize',
  'reopened',
  'ready_for_review',
]);

function jobsOfPull(payload: EmitterWebhookEvent<'pull_request'>['payload']): QueuedJob[] {
  const place = placeOf(payload);
  const isNewBase = payload.action === 'edited' && payload.changes.base !== undefined;
  if (!place || !(CHECKED_ACTIONS.has(payload.action) || isNewBase)) return [];
  return [
    {
      queue: 'check',
      job: { kind: 'pull', ...place, pullNumber: payload.pull_request.number, isRerun: false },
    },
  ];
}

function jobsOfMergeGroup(payload: EmitterWebhookEvent<'merge_group'>['payload']): QueuedJob[] {
  const place = placeOf(payload);
  if (!place) return [];
  const { head_sha: headSha, base_sha: baseSha } = payload.merge_group;
  return [{ queue: 'check', job: { kind: 'merge-group', ...place, headSha, baseSha, isRerun: false } }];
}

// GitHub sends one of the two for "Re-run", and no pull request at all for a fork: then the commit is checked.
function jobsOfRerun({ payload }: EmitterWebhookEvent<'check_run' | 'check_suite'>): QueuedJob[] {
  const place = placeOf(payload);
  const subject = 'check_run' in payload ? payload.check_run : payload.check_suite;
  if (!place) return [];
  const numbers = (subject.pull_requests ?? []).flatMap(pull => (pull ? [pull.number] : []));
  const jobs = numbers.map(pullNumber => ({ kind: 'pull' as const, ...place, pullNumber, isRerun: true }));
  const commit = { kind: 'commit' as const, ...place, headSha: subject.head_sha, isRerun: true };
  return (jobs.length > 0 ? jobs : [commit]).map(job => ({ queue: 'check' as const, job }));
}

// The store of this machine follows the default branch, so that runs find it warm.
function jobsOfPush(payload: EmitterWebhookEvent<'push'>['payload']): QueuedJob[] {
  const place = placeOf(payload);
  const isDefault = payload.ref === `refs/heads/${payload.repository.default_branch}`;
  return place && isDefault && !payload.deleted
    ? [{ queue: 'maintain', job: { kind: 'refresh-store', ...place } }]
    : [];
}

function forgetRepositories(repositories: readonly { readonly id?: number | undefined }[]): QueuedJob[] {
  return repositories.flatMap(({ id }) =>
    id === undefined ? [] : [{ queue: 'maintain', job: { kind: 'forget-repository', repositoryId: id } }],
  );
}
