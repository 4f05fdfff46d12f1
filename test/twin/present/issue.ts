import { fullName } from '../world/look-up.ts';
import { associationOf } from '../world/role.ts';
import type { Thread, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';
import { presentApp } from './app.ts';
import { presentReactionCounts } from './comment.ts';
import { repositoryUrl } from './repository.ts';

export function presentIssue(world: World, thread: Thread): Json {
  const { origin } = world;
  const api = repositoryUrl(origin, thread.repository);
  const url = `${api}/issues/${thread.number}`;
  const place = thread.pull === null ? 'issues' : 'pull';
  const page = `${origin}/${fullName(thread.repository)}/${place}/${thread.number}`;
  return {
    id: thread.id,
    node_id: nodeId('I', thread.id),
    url,
    repository_url: api,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    number: thread.number,
    state: thread.state,
    state_reason: thread.stateReason,
    title: thread.title,
    body: thread.body,
    user: presentAccount(origin, thread.author),
    labels: thread.labels.map(name => presentLabel(api, name)),
    assignee: null,
    assignees: [],
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: thread.comments.length,
    closed_at: thread.closed?.at ?? null,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    author_association: associationOf(world, thread.repository, thread.author),
    reactions: presentReactionCounts(url, []),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: thread.viaApp === null ? null : presentApp(origin, thread.viaApp),
    ...(thread.pull === null ? {} : presentPullLinks(thread, `${api}/pulls/${thread.number}`, page)),
  };
}

function presentPullLinks(thread: Thread, url: string, page: string): Json {
  const links = { url, html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch` };
  return {
    draft: thread.pull?.draft,
    pull_request: { ...links, merged_at: thread.pull?.merged?.at ?? null },
  };
}

export function presentLabel(api: string, name: string): Json {
  const id = [...name].reduce((sum, each) => sum * 31 + each.charCodeAt(0), 7) % 1_000_000;
  const url = `${api}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: nodeId('LA', id), url, name, description: '', color: 'ededed', default: false };
}
