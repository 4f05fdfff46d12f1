import type { PullFigures } from '../git/compare-pull.ts';
import { fullName } from '../world/look-up.ts';
import { associationOf } from '../world/role.ts';
import type { Account, Pull, Repository, Thread, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';
import { presentLabel } from './issue.ts';
import { presentRepository, repositoryUrl } from './repository.ts';

/** As the list gives it. */
export function presentPull(world: World, thread: Thread): Json {
  const { origin } = world;
  const pull = pullOf(thread);
  const api = repositoryUrl(origin, thread.repository);
  const url = `${api}/pulls/${thread.number}`;
  const issue = `${api}/issues/${thread.number}`;
  const page = `${origin}/${fullName(thread.repository)}/pull/${thread.number}`;
  const links = {
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    comments: `${issue}/comments`,
    statuses: `${api}/statuses/${pull.headSha}`,
  };
  const hrefs = Object.entries({ self: url, html: page, issue, ...links }).map(([name, href]) => [
    name,
    { href },
  ]);
  return {
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    ...Object.fromEntries(Object.entries(links).map(([name, href]) => [`${name}_url`, href])),
    number: thread.number,
    state: thread.state,
    locked: false,
    title: thread.title,
    user: presentAccount(origin, thread.author),
    body: thread.body,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closed?.at ?? null,
    merged_at: pull.merged?.at ?? null,
    merge_commit_sha: pull.merged?.sha ?? null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: thread.labels.map(name => presentLabel(api, name)),
    milestone: null,
    draft: pull.draft,
    head: presentSide(world, pull.headRepository, thread.author, pull.headBranch, pull.headSha),
    base: presentSide(world, thread.repository, thread.repository.owner, pull.baseBranch, pull.baseSha),
    _links: Object.fromEntries(hrefs),
    author_association: associationOf(world, thread.repository, thread.author),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** As one alone is given, and as the webhooks carry it. */
export function presentFullPull(
  world: World,
  thread: Thread,
  figures: PullFigures,
  mergeable: boolean | null,
): Json {
  const pull = pullOf(thread);
  const state = { true: 'clean', false: 'dirty', null: 'unknown' }[String(mergeable)];
  return {
    ...presentPull(world, thread),
    merged: pull.merged !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: state,
    merged_by: pull.merged === null ? null : presentAccount(world.origin, pull.merged.by),
    comments: thread.comments.length,
    review_comments: 0,
    maintainer_can_modify: pull.maintainerCanModify,
    commits: figures.commits,
    additions: figures.additions,
    deletions: figures.deletions,
    changed_files: figures.changedFiles,
  };
}

/** What checks say of a pull request. Of one from a fork they say nothing at all. */
export function presentMinimalPull(world: World, thread: Thread): Json {
  const pull = pullOf(thread);
  const { origin } = world;
  const url = repositoryUrl(origin, thread.repository);
  const repo = { id: thread.repository.id, url, name: thread.repository.name };
  return {
    id: pull.id,
    number: thread.number,
    url: `${url}/pulls/${thread.number}`,
    head: { ref: pull.headBranch, sha: pull.headSha, repo },
    base: { ref: pull.baseBranch, sha: pull.baseSha, repo },
  };
}

/** `repo` is null once a fork was deleted. */
function presentSide(
  world: World,
  repository: Repository | null,
  author: Account,
  ref: string,
  sha: string,
): Json {
  const owner = repository?.owner ?? author;
  return {
    label: `${owner.login}:${ref}`,
    ref,
    sha,
    user: presentAccount(world.origin, owner),
    repo: repository === null ? null : presentRepository(world, repository),
  };
}

function pullOf(thread: Thread): Pull {
  if (thread.pull === null) throw new Error(`#${thread.number} is an issue, not a pull request.`);
  return thread.pull;
}
