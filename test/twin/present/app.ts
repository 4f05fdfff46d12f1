import type { App, Installation, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';

export function presentApp(origin: string, app: App): Json {
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: nodeId('A', app.id),
    owner: presentAccount(origin, app.owner),
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    html_url: `${origin}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  };
}

export function presentInstallation(world: World, installation: Installation): Json {
  const { origin } = world;
  const { id, app, account, suspended } = installation;
  return {
    id,
    client_id: app.clientId,
    account: presentAccount(origin, account),
    repository_selection: installation.selection,
    access_tokens_url: `${origin}/app/installations/${id}/access_tokens`,
    repositories_url: `${origin}/installation/repositories`,
    html_url: `${origin}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type === 'Organization' ? 'Organization' : 'User',
    permissions: installation.permissions,
    events: app.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspended === null ? null : presentAccount(origin, suspended.by),
    suspended_at: suspended?.at ?? null,
  };
}
