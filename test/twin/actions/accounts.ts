import { randomBytes } from 'node:crypto';
import type { Core } from '../core.ts';
import { findAccount, must } from '../world/look-up.ts';
import type { Account } from '../world/world.ts';

export function createAccount(core: Core, login: string, type: Account['type']): Account {
  const { world } = core;
  if (findAccount(world, login) !== undefined) throw new Error(`There is an account ${login} already.`);
  const account: Account = { id: world.nextId(), login, type, createdAt: world.clock.iso() };
  world.accounts.set(login.toLowerCase(), account);
  return account;
}

/** A personal access token, for a person who pushes or calls the API. */
export function createUserToken(core: Core, login: string): string {
  const account = must(findAccount(core.world, login), `account ${login}`);
  const token = `ghp_${randomBytes(27).toString('base64url').replace(/[-_]/g, 'x')}`;
  core.world.userTokens.set(token, account);
  return token;
}
