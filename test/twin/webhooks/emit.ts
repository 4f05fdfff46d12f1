import { grants, type Need } from '../auth/access.ts';
import type { Core } from '../core.ts';
import { type Json, nodeId, presentAccount, presentOrganisation } from '../present/account.ts';
import { presentInstallation } from '../present/app.ts';
import { presentMinimalRepository, presentRepository } from '../present/repository.ts';
import { installationsOn } from '../world/look-up.ts';
import type { Account, App, Installation, Repository } from '../world/world.ts';

/** What an app must be granted to hear of an event. https://docs.github.com/en/webhooks/webhook-events-and-payloads */
const NEEDS: Readonly<Record<string, Need>> = {
  issue_comment: [
    ['issues', 'read'],
    ['pull_requests', 'read'],
  ],
  issues: [['issues', 'read']],
  pull_request: [['pull_requests', 'read']],
  check_run: [['checks', 'read']],
  check_suite: [['checks', 'read']],
  merge_group: [['merge_queues', 'read']],
  push: [['contents', 'read']],
  repository: [['metadata', 'read']],
};

export interface RepositoryEvent {
  readonly repository: Repository;
  readonly event: string;
  readonly action: string | null;
  readonly sender: Account;
  readonly payload: Json;
  /** These events go to one app alone: the owner of the check. It need not have subscribed. */
  readonly onlyTo?: App;
}

/** Tells every app that is installed there, subscribed to the event and allowed to know. */
export function emitEvent(core: Core, event: RepositoryEvent): void {
  const { world } = core;
  const need = NEEDS[event.event] ?? [];
  for (const installation of installationsOn(world, event.repository)) {
    const { app } = installation;
    const wanted = event.onlyTo === undefined ? app.events.includes(event.event) : event.onlyTo === app;
    if (!wanted || installation.suspended !== null || !grants(installation.permissions, need)) continue;
    const { repository, action } = event;
    const payload = {
      ...(action === null ? {} : { action }),
      ...event.payload,
      repository: presentRepository(world, repository),
      ...organisationOf(core, repository.owner),
      installation: { id: installation.id, node_id: nodeId('INT', installation.id) },
      sender: presentAccount(world.origin, event.sender),
    };
    core.webhooks.emit({ app, event: event.event, action, installation, repository, payload });
  }
}

/** `installation` events come by themselves; no app subscribes to them. */
export function emitInstallation(
  core: Core,
  installation: Installation,
  action: string,
  sender: Account,
): void {
  const { world } = core;
  const repositories = [...world.repositories.values()].filter(each =>
    installation.repositories.has(each.id),
  );
  const payload = {
    action,
    installation: presentInstallation(world, installation),
    repositories: repositories.map(each => {
      const {
        id,
        node_id,
        name,
        full_name,
        private: isPrivate,
      } = presentMinimalRepository(world.origin, each);
      return { id, node_id, name, full_name, private: isPrivate };
    }),
    requester: null,
    ...organisationOf(core, installation.account),
    sender: presentAccount(world.origin, sender),
  };
  const { app } = installation;
  core.webhooks.emit({ app, event: 'installation', action, installation, repository: null, payload });
}

function organisationOf(core: Core, owner: Account): Json {
  return owner.type === 'Organization' ? { organization: presentOrganisation(core.world.origin, owner) } : {};
}
