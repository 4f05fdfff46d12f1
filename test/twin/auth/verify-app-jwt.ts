import { createPublicKey, verify } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import type { App, World } from '../world/world.ts';

const TEN_MINUTES = 600;

const UNREADABLE = 'A JSON web token could not be decoded';
const BAD_ISSUED_AT =
  "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
const BAD_EXPIRY =
  "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";

/**
 * RS256, `iss` the app's id or client id, `iat` not in the future, `exp` in the future and at most ten minutes
 * away. https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
export function verifyAppJwt(world: World, jwt: string): App {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const claims = decode(body);
  if (decode(head)?.alg !== 'RS256' || claims === null) throw new ApiError(401, UNREADABLE);
  const issuer = String(claims.iss);
  const app = world.apps.find(each => String(each.id) === issuer || each.clientId === issuer);
  if (app === undefined) throw new ApiError(404, 'Integration not found');
  const key = createPublicKey(app.privateKey);
  if (!verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) {
    throw new ApiError(401, UNREADABLE);
  }
  const now = world.clock.now() / 1000;
  const { iat, exp } = claims;
  if (!Number.isInteger(iat) || Number(iat) > now) throw new ApiError(401, BAD_ISSUED_AT);
  if (typeof exp !== 'number' || exp <= now) throw new ApiError(401, BAD_EXPIRY);
  if (exp > now + TEN_MINUTES)
    throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future");
  return app;
}

function decode(part: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return null;
  }
}
