import { ApiError } from '../http/api-error.ts';
import { ok, type Reply, type RepositoryCall, type Route, text } from '../http/route.ts';
import { presentAccount } from '../present/account.ts';
import { presentFullRepository } from '../present/repository.ts';
import { findAccount } from '../world/look-up.ts';
import { legacyPermission, roleOf } from '../world/role.ts';

export const repositoryRoutes: readonly Route[] = [
  {
    route: 'GET /repos/{owner}/{repo}',
    access: 'repository',
    need: [['metadata', 'read']],
    handle: getRepository,
  },
  {
    route: 'GET /repositories/{repository_id}',
    access: 'repository',
    need: [['metadata', 'read']],
    handle: getRepository,
  },
  {
    route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    access: 'repository',
    need: [['metadata', 'read']],
    handle: getPermission,
  },
];

function getRepository({ core, repository }: RepositoryCall): Reply {
  return ok(presentFullRepository(core.world, repository));
}

/** Somebody who is no collaborator is answered too: with what everybody may do. Apps are not users. */
function getPermission(call: RepositoryCall): Reply {
  if (call.principal.kind === 'anonymous') throw new ApiError(401, 'Requires authentication');
  const username = text(call, 'username');
  const account = findAccount(call.core.world, username);
  if (account?.type !== 'User') throw new ApiError(404, `${username} is not a user`);
  const role = roleOf(call.repository, account);
  const permission = legacyPermission(role);
  const user = {
    ...presentAccount(call.core.world.origin, account),
    permissions: {
      admin: role === 'admin',
      maintain: ['admin', 'maintain'].includes(role),
      push: ['admin', 'write'].includes(permission),
      triage: !['none', 'read'].includes(role),
      pull: role !== 'none',
    },
    role_name: role,
  };
  return ok({ permission, role_name: role, user });
}
