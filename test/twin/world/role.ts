import type { Account, Repository, Role, World } from './world.ts';

const ORDER: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

export function roleOf(repository: Repository, account: Account | null): Role {
  if (account !== null && account.id === repository.owner.id) return 'admin';
  const granted = account === null ? undefined : repository.roles.get(account.id);
  return granted ?? (repository.isPrivate ? 'none' : 'read');
}

export function reaches(role: Role, wanted: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(wanted);
}

/** The old four words of the permission route: "the maintain role is mapped to write, the triage role to read". */
export function legacyPermission(role: Role): 'none' | 'read' | 'write' | 'admin' {
  if (role === 'triage') return 'read';
  return role === 'maintain' ? 'write' : role;
}

export function associationOf(world: World, repository: Repository, account: Account): string {
  if (account.id === repository.owner.id) return 'OWNER';
  if (world.members.get(repository.owner.id)?.has(account.id) === true) return 'MEMBER';
  return (repository.roles.get(account.id) ?? 'none') === 'none' ? 'NONE' : 'COLLABORATOR';
}
