import { fullName } from '../world/look-up.ts';
import { associationOf } from '../world/role.ts';
import type { Comment, Reaction, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';
import { presentApp } from './app.ts';
import { repositoryUrl } from './repository.ts';

export function presentComment(world: World, comment: Comment): Json {
  const { origin } = world;
  const { thread } = comment;
  const { repository } = thread;
  const api = repositoryUrl(origin, repository);
  const url = `${api}/issues/comments/${comment.id}`;
  const place = thread.pull === null ? 'issues' : 'pull';
  return {
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    url,
    html_url: `${origin}/${fullName(repository)}/${place}/${thread.number}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${thread.number}`,
    user: presentAccount(origin, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: associationOf(world, repository, comment.author),
    body: comment.body,
    reactions: presentReactionCounts(url, comment.reactions),
    performed_via_github_app: comment.viaApp === null ? null : presentApp(origin, comment.viaApp),
  };
}

export const REACTIONS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const;

export function presentReactionCounts(url: string, reactions: readonly Reaction[]): Json {
  const counts = REACTIONS.map(name => [name, reactions.filter(each => each.content === name).length]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}

export function presentReaction(world: World, reaction: Reaction): Json {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: presentAccount(world.origin, reaction.user),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}
