import type { Account } from '../world/world.ts';

export type Json = Record<string, unknown>;

export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(`${kind}${id}`).toString('base64url')}`;
}

/** The short form that stands everywhere a user does. */
export function presentAccount(origin: string, account: Account): Json {
  const url = `${origin}/users/${encodeURIComponent(account.login)}`;
  const page = account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : account.login;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('U', account.id),
    avatar_url: `${origin}/avatars/${account.id}`,
    gravatar_id: '',
    url,
    html_url: `${origin}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

export function presentPublicUser(origin: string, account: Account): Json {
  const empty = {
    name: null,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
  };
  return {
    ...presentAccount(origin, account),
    ...empty,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.createdAt,
  };
}

export function presentOrganisation(origin: string, account: Account): Json {
  const url = `${origin}/orgs/${account.login}`;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('O', account.id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${origin}/avatars/${account.id}`,
    description: null,
  };
}
