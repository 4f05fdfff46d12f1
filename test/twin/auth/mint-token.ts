import { randomBytes, randomUUID } from 'node:crypto';
import type { Installation, InstallationToken, Permissions, World } from '../world/world.ts';

const ONE_HOUR = 3_600_000;

/** A token of the format GitHub rolls out since April 2026: `ghs_<app id>_<JWT>`, about 520 characters. */
export function mintToken(
  world: World,
  installation: Installation,
  permissions: Permissions,
  repositories: ReadonlySet<number> | null,
): InstallationToken {
  const expiresAt = world.clock.now() + ONE_HOUR;
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = encode({ alg: 'RS256', typ: 'JWT' });
  const body = encode({
    iss: 'github',
    sub: installation.id,
    exp: Math.floor(expiresAt / 1000),
    jti: randomUUID(),
  });
  const signature = randomBytes(246).toString('base64url');
  const token = `ghs_${installation.app.id}_${head}.${body}.-_${signature}`;
  const minted = { token, installation, permissions, repositories, expiresAt };
  world.tokens.set(token, minted);
  return minted;
}
