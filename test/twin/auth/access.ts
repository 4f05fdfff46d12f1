import { ApiError, notAccessible, notFound } from '../http/api-error.ts';
import { covers } from '../world/look-up.ts';
import { reaches, roleOf } from '../world/role.ts';
import type { InstallationToken, Level, Permissions, Repository, Role } from '../world/world.ts';
import { actorOf, type Principal } from './principal.ts';

/** Any one of these is enough: a comment of a pull request takes `issues` or `pull_requests`. */
export type Need = readonly (readonly [permission: string, level: Level])[];

const LEVELS: readonly Level[] = ['read', 'write', 'admin'];

export function grants(permissions: Permissions, need: Need): boolean {
  return need.some(([name, level]) => {
    const granted = permissions[name];
    return granted !== undefined && LEVELS.indexOf(granted) >= LEVELS.indexOf(level);
  });
}

export function tokenCovers(token: InstallationToken, repository: Repository): boolean {
  if (!covers(token.installation, repository)) return false;
  return token.repositories === null || token.repositories.has(repository.id);
}

export function canSee(principal: Principal, repository: Repository): boolean {
  if (!repository.isPrivate) return true;
  if (principal.kind === 'installation') return tokenCovers(principal.token, repository);
  return roleOf(repository, actorOf(principal)) !== 'none';
}

/** What a person of this role may do, in the words of an app's permissions. */
const ROLE_FOR: Readonly<Record<string, Role>> = { checks: 'admin', contents: 'write' };

/**
 * 404 for a repository whose existence the caller may not know, 403 where it may be seen but not this.
 * Reading what is public needs no permission.
 */
export function requireAccess(principal: Principal, repository: Repository, need: Need): void {
  if (!canSee(principal, repository)) throw notFound();
  const reads = need.every(([, level]) => level === 'read');
  if (reads && !repository.isPrivate) return;
  if (principal.kind === 'anonymous') throw new ApiError(401, 'Requires authentication');
  if (principal.kind === 'app') throw notAccessible();
  if (principal.kind === 'user') {
    const wanted = reads ? 'read' : (ROLE_FOR[need[0]?.[0] ?? ''] ?? 'read');
    if (reaches(roleOf(repository, principal.account), wanted)) return;
    throw new ApiError(403, 'Must have admin rights to Repository.');
  }
  if (!tokenCovers(principal.token, repository) || !grants(principal.token.permissions, need))
    throw notAccessible();
}
