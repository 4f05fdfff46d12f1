import type { Core } from '../core.ts';
import { readCommit } from '../git/read-commits.ts';
import type { Thread, TimelineEntry, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';
import { presentComment } from './comment.ts';
import { presentCommit, UNSIGNED } from './commit.ts';
import { repositoryUrl } from './repository.ts';

export async function presentTimeline(core: Core, thread: Thread): Promise<readonly Json[]> {
  const entries: Json[] = [];
  for (const entry of thread.timeline) entries.push(await presentEntry(core.world, thread, entry));
  return entries;
}

async function presentEntry(world: World, thread: Thread, entry: TimelineEntry): Promise<Json> {
  if (entry.kind === 'committed') return presentCommitted(world, thread, entry.sha);
  if (entry.kind === 'commented') {
    const actor = presentAccount(world.origin, entry.comment.author);
    return { ...presentComment(world, entry.comment), event: 'commented', actor };
  }
  const api = repositoryUrl(world.origin, thread.repository);
  return {
    id: entry.id,
    node_id: nodeId('EV', entry.id),
    url: `${api}/issues/events/${entry.id}`,
    actor: presentAccount(world.origin, entry.actor),
    event: entry.kind,
    commit_id: entry.sha,
    commit_url: entry.sha === null ? null : `${api}/commits/${entry.sha}`,
    created_at: entry.at,
    performed_via_github_app: null,
    ...(entry.kind === 'closed' || entry.kind === 'reopened' ? { state_reason: thread.stateReason } : {}),
  };
}

/** A commit of the timeline carries its own dates, which anybody can forge, and no moment of arrival. */
async function presentCommitted(world: World, thread: Thread, sha: string): Promise<Json> {
  const commit = await readCommit(thread.repository, sha);
  const { url, html_url, node_id, parents, commit: inner } = presentCommit(world, thread.repository, commit);
  const { tree } = inner as Json;
  const { author, committer, message } = commit;
  const links = { sha, url, html_url, node_id, parents, tree };
  return { ...links, author, committer, message, verification: UNSIGNED, event: 'committed' };
}
