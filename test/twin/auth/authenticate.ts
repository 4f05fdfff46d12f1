import { ApiError } from '../http/api-error.ts';
import type { World } from '../world/world.ts';
import type { Principal } from './principal.ts';
import { verifyAppJwt } from './verify-app-jwt.ts';

/** Reads the `Authorization` header of a REST request: `Bearer` or `token`, then a JWT or a token. */
export function authenticate(world: World, header: string | undefined): Principal {
  if (header === undefined || header === '') return { kind: 'anonymous' };
  const [, credential = ''] = /^(?:bearer|token)\s+(\S+)$/i.exec(header) ?? [];
  if (credential.startsWith('eyJ')) return { kind: 'app', app: verifyAppJwt(world, credential) };
  return authenticateToken(world, credential);
}

/** The same for git, which sends the token as the password of `x-access-token`. */
export function authenticateBasic(world: World, header: string | undefined): Principal {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return { kind: 'anonymous' };
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return authenticateToken(world, pair.slice(pair.indexOf(':') + 1));
}

function authenticateToken(world: World, credential: string): Principal {
  const account = world.userTokens.get(credential);
  if (account !== undefined) return { kind: 'user', account };
  const token = world.tokens.get(credential);
  if (token === undefined || token.expiresAt <= world.clock.now()) throw new ApiError(401, 'Bad credentials');
  if (!world.installations.has(token.installation.id)) throw new ApiError(401, 'Bad credentials');
  if (token.installation.suspended !== null) throw new ApiError(403, 'This installation has been suspended');
  return { kind: 'installation', token };
}
