import { createComment, deleteComment, editComment, react } from '../actions/comments.ts';
import { appOf } from '../auth/principal.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { paginate } from '../http/paginate.ts';
import { number, ok, type Reply, type RepositoryCall, type Route } from '../http/route.ts';
import { presentComment, presentReaction } from '../present/comment.ts';
import { findComment } from '../world/look-up.ts';
import { reaches, roleOf } from '../world/role.ts';
import type { Comment } from '../world/world.ts';
import { READ_THREADS, sender, threadOf, WRITE_THREADS } from './issue-routes.ts';

const COMMENTS = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
const COMMENT = '/repos/{owner}/{repo}/issues/comments/{comment_id}';

export const commentRoutes: readonly Route[] = [
  { route: `GET ${COMMENTS}`, access: 'repository', need: READ_THREADS, handle: listComments },
  {
    route: `POST ${COMMENTS}`,
    access: 'repository',
    need: WRITE_THREADS,
    handle: call => {
      const { body, core, principal } = call;
      const comment = createComment(core, threadOf(call), sender(call), String(body.body), appOf(principal));
      return ok(presentComment(core.world, comment), 201);
    },
  },
  {
    route: `GET ${COMMENT}`,
    access: 'repository',
    need: READ_THREADS,
    handle: call => ok(presentComment(call.core.world, commentOf(call))),
  },
  {
    route: `PATCH ${COMMENT}`,
    access: 'repository',
    need: WRITE_THREADS,
    handle: call => {
      const comment = editComment(call.core, ownOrTrusted(call), sender(call), String(call.body.body));
      return ok(presentComment(call.core.world, comment));
    },
  },
  {
    route: `DELETE ${COMMENT}`,
    access: 'repository',
    need: WRITE_THREADS,
    handle: call => {
      deleteComment(call.core, ownOrTrusted(call), sender(call));
      return { status: 204 };
    },
  },
  {
    route: `GET ${COMMENT}/reactions`,
    access: 'repository',
    need: READ_THREADS,
    handle: call => {
      const { content } = call.parameters;
      const reactions = commentOf(call).reactions.filter(
        each => content === undefined || each.content === content,
      );
      return paginate(call, reactions, each => presentReaction(call.core.world, each));
    },
  },
  {
    route: `POST ${COMMENT}/reactions`,
    access: 'repository',
    need: WRITE_THREADS,
    handle: call => {
      const { core, body } = call;
      const { reaction, isNew } = react(core, commentOf(call), sender(call), String(body.content));
      return ok(presentReaction(core.world, reaction), isNew ? 201 : 200);
    },
  },
  {
    route: `DELETE ${COMMENT}/reactions/{reaction_id}`,
    access: 'repository',
    need: WRITE_THREADS,
    handle: deleteReaction,
  },
];

/** Oldest first. */
function listComments(call: RepositoryCall): Reply {
  const since = Date.parse(String(call.parameters.since ?? 0)) || 0;
  const comments = threadOf(call).comments.filter(each => Date.parse(each.updatedAt) >= since);
  return paginate(call, comments, each => presentComment(call.core.world, each));
}

function commentOf(call: RepositoryCall): Comment {
  const comment = findComment(call.repository, number(call, 'comment_id'));
  if (comment === undefined) throw notFound();
  return comment;
}

/** A person with write access may edit what others wrote; the author stays whoever it was. So may an app. */
function ownOrTrusted(call: RepositoryCall): Comment {
  const comment = commentOf(call);
  const { principal, repository } = call;
  if (principal.kind !== 'user' || comment.author === principal.account) return comment;
  if (reaches(roleOf(repository, principal.account), 'write')) return comment;
  throw new ApiError(403, 'Must have admin rights to Repository.');
}

function deleteReaction(call: RepositoryCall): Reply {
  const { reactions } = commentOf(call);
  const index = reactions.findIndex(
    each => each.id === number(call, 'reaction_id') && each.user === sender(call),
  );
  if (index < 0) throw notFound();
  reactions.splice(index, 1);
  return { status: 204 };
}
