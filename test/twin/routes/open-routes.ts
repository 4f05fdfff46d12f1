import { notFound } from '../http/api-error.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { ok, type Route, text } from '../http/route.ts';
import { presentPublicUser } from '../present/account.ts';
import { findAccount } from '../world/look-up.ts';

export function openRoutes(limiter: RateLimiter): readonly Route[] {
  return [
    {
      route: 'GET /users/{username}',
      access: 'open',
      handle: call => {
        const account = findAccount(call.core.world, text(call, 'username'));
        if (account === undefined) throw notFound();
        return ok(presentPublicUser(call.core.world.origin, account));
      },
    },
    {
      route: 'GET /rate_limit',
      access: 'open',
      handle: call => {
        const core = limiter.state(call.principal);
        return ok({ resources: { core, search: core }, rate: core });
      },
    },
    {
      route: 'GET /meta',
      access: 'open',
      handle: () =>
        ok({ verifiable_password_authentication: false, hooks: ['127.0.0.0/8'], api: ['127.0.0.0/8'] }),
    },
  ];
}
