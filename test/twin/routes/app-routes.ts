import { registerApp } from '../actions/apps.ts';
import { grants, tokenCovers } from '../auth/access.ts';
import { mintToken } from '../auth/mint-token.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { paginate } from '../http/paginate.ts';
import { type AppCall, number, ok, type Reply, type Route, text } from '../http/route.ts';
import { presentApp, presentInstallation } from '../present/app.ts';
import { presentRepository } from '../present/repository.ts';
import { isoOf } from '../world/clock.ts';
import { covers, findRepository, installationsOn } from '../world/look-up.ts';
import type { Installation, Level, Permissions, Repository } from '../world/world.ts';

export const appRoutes: readonly Route[] = [
  {
    route: 'GET /app',
    access: 'app',
    handle: call =>
      ok({
        ...presentApp(call.core.world.origin, call.app),
        installations_count: installationsOf(call).length,
      }),
  },
  {
    route: 'GET /app/installations',
    access: 'app',
    handle: call => paginate(call, installationsOf(call), each => presentInstallation(call.core.world, each)),
  },
  {
    route: 'GET /app/installations/{installation_id}',
    access: 'app',
    handle: call => ok(presentInstallation(call.core.world, installationOf(call))),
  },
  {
    route: 'GET /repos/{owner}/{repo}/installation',
    access: 'app',
    handle: call => {
      const { world } = call.core;
      const repository = findRepository(world, `${text(call, 'owner')}/${text(call, 'repo')}`);
      const on = repository === undefined ? [] : installationsOn(world, repository);
      const found = on.find(each => each.app === call.app);
      if (found === undefined) throw notFound();
      return ok(presentInstallation(world, found));
    },
  },
  { route: 'POST /app/installations/{installation_id}/access_tokens', access: 'app', handle: createToken },
  {
    route: 'DELETE /installation/token',
    access: 'token',
    handle: call => {
      call.core.world.tokens.delete(call.token.token);
      return { status: 204 };
    },
  },
  {
    route: 'GET /installation/repositories',
    access: 'token',
    handle: call => {
      const { world } = call.core;
      const all = [...world.repositories.values()].filter(each => tokenCovers(call.token, each));
      const total = { total_count: all.length, repository_selection: call.token.installation.selection };
      return paginate(
        call,
        all,
        each => presentRepository(world, each),
        repositories => ({ ...total, repositories }),
      );
    },
  },
  {
    route: 'POST /app-manifests/{code}/conversions',
    access: 'open',
    handle: call => {
      const { manifests, origin } = call.core.world;
      const app = manifests.get(text(call, 'code'));
      if (app === undefined) throw notFound();
      manifests.delete(text(call, 'code')); // a code converts once
      registerApp(call.core, app);
      const {
        clientId: client_id,
        clientSecret: client_secret,
        webhookSecret: webhook_secret,
        privateKey: pem,
      } = app;
      return ok({ ...presentApp(origin, app), client_id, client_secret, webhook_secret, pem }, 201);
    },
  },
];

function installationsOf({ app, core }: AppCall): readonly Installation[] {
  return [...core.world.installations.values()].filter(each => each.app === app);
}

function installationOf(call: AppCall): Installation {
  const found = call.core.world.installations.get(number(call, 'installation_id'));
  if (found?.app !== call.app) throw notFound();
  return found;
}

function createToken(call: AppCall): Reply {
  const { world } = call.core;
  const installation = installationOf(call);
  if (installation.suspended !== null) throw new ApiError(403, 'This installation has been suspended');
  const permissions = narrowPermissions(installation, call.body.permissions as Permissions | undefined);
  const chosen = narrowRepositories(call, installation);
  const ids = chosen === null ? null : new Set(chosen.map(each => each.id));
  const { token, expiresAt } = mintToken(world, installation, permissions, ids);
  const selection = chosen === null ? installation.selection : 'selected';
  return ok(
    {
      token,
      expires_at: isoOf(expiresAt),
      permissions,
      repository_selection: selection,
      ...(chosen === null ? {} : { repositories: chosen.map(each => presentRepository(world, each)) }),
    },
    201,
  );
}

/** Metadata may always be read. */
function narrowPermissions(installation: Installation, asked: Permissions | undefined): Permissions {
  if (asked === undefined) return installation.permissions;
  for (const [name, level] of Object.entries(asked)) {
    if (grants(installation.permissions, [[name, level as Level]])) continue;
    throw new ApiError(422, 'The permissions requested are not granted to this installation.');
  }
  return { metadata: 'read', ...asked };
}

function narrowRepositories(call: AppCall, installation: Installation): readonly Repository[] | null {
  const { world } = call.core;
  const ids = call.body.repository_ids as readonly number[] | undefined;
  const names = call.body.repositories as readonly string[] | undefined;
  if (ids === undefined && names === undefined) return null;
  const found = [
    ...(ids ?? []).map(id => world.repositories.get(id)),
    ...(names ?? []).map(name => findRepository(world, `${installation.account.login}/${name}`)),
  ];
  const chosen = found.filter(each => each !== undefined && covers(installation, each));
  if (chosen.length < found.length) {
    const message =
      'There is at least one repository that does not exist or is not accessible to the parent installation.';
    throw new ApiError(422, message);
  }
  return [...new Set(chosen)] as readonly Repository[];
}
