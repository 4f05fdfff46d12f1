import type { Role } from '../forge/forge.ts';
import type { CommandSpec } from './registry.ts';

const RANKS: Readonly<Record<Role, number>> = {
  none: 0,
  read: 1,
  triage: 2,
  write: 3,
  maintain: 4,
  admin: 5,
};

/** Whether somebody with this role may run a command. */
export function mayRun(spec: CommandSpec, role: Role): boolean {
  return spec.leastRole === undefined || RANKS[role] >= RANKS[spec.leastRole];
}
