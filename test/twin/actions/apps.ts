import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Core } from '../core.ts';
import { emitInstallation } from '../webhooks/emit.ts';
import type { Account, App, Installation, Permissions, Repository } from '../world/world.ts';
import { createAccount } from './accounts.ts';

export interface AppInput {
  readonly slug: string;
  readonly name?: string;
  readonly owner: Account;
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly webhookUrl: string | null;
  readonly webhookSecret?: string;
  /** PEM; a fresh key when left out. */
  readonly privateKey?: string;
}

/** The app is not known to anybody before `registerApp`: a manifest waits for its conversion. */
export function makeApp(core: Core, input: AppInput): App {
  const { world } = core;
  return {
    id: 1_200_001 + world.apps.length + world.manifests.size,
    slug: input.slug,
    name: input.name ?? input.slug,
    description: '',
    externalUrl: `${world.origin}/apps/${input.slug}`,
    owner: input.owner,
    bot: createAccount(core, `${input.slug}[bot]`, 'Bot'),
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    clientSecret: randomBytes(20).toString('hex'),
    privateKey: input.privateKey ?? generateKey(),
    webhookSecret: input.webhookSecret ?? randomBytes(20).toString('hex'),
    webhookUrl: input.webhookUrl,
    permissions: input.permissions,
    events: input.events,
    createdAt: world.clock.iso(),
  };
}

export function registerApp(core: Core, app: App): App {
  core.world.apps.push(app);
  return app;
}

function generateKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

/** On all of an owner's repositories, or on some. One more call for the same owner adds to what is covered. */
export function installApp(core: Core, app: App, on: Account | Repository): Installation {
  const { world } = core;
  const account = 'directory' in on ? on.owner : on;
  const present = [...world.installations.values()].find(
    each => each.app === app && each.account === account,
  );
  if (present !== undefined) {
    if ('directory' in on) present.repositories.add(on.id);
    else present.selection = 'all';
    return present;
  }
  const installation: Installation = {
    id: world.nextId(),
    app,
    account,
    selection: 'directory' in on ? 'selected' : 'all',
    repositories: new Set('directory' in on ? [on.id] : []),
    permissions: app.permissions,
    suspended: null,
    createdAt: world.clock.iso(),
    updatedAt: world.clock.iso(),
  };
  world.installations.set(installation.id, installation);
  emitInstallation(core, installation, 'created', account);
  return installation;
}

export function suspendInstallation(core: Core, installation: Installation): void {
  installation.suspended = { at: core.world.clock.iso(), by: installation.account };
  emitInstallation(core, installation, 'suspend', installation.account);
}

export function unsuspendInstallation(core: Core, installation: Installation): void {
  installation.suspended = null;
  emitInstallation(core, installation, 'unsuspend', installation.account);
}

export function uninstallApp(core: Core, installation: Installation): void {
  core.world.installations.delete(installation.id);
  emitInstallation(core, installation, 'deleted', installation.account);
}
