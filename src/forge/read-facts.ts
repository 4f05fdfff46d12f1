import type { RestEndpointMethodTypes } from '@octokit/rest';
import { commitId } from '../git/object-id.ts';
import type {
  Account,
  CheckConclusion,
  CheckFacts,
  CommentFacts,
  PullFacts,
  RepositoryFacts,
  Role,
  ThreadFacts,
} from './forge.ts';

type Answers = RestEndpointMethodTypes;
type Item<List> = List extends readonly (infer Each)[] ? Each : never;

/** Who we are, to tell our own comments and reactions from those of others. */
export interface OurAccount {
  readonly appId: number;
  /** `skillkeeper[bot]`: no person can have such a name. */
  readonly botLogin: string;
}

export function readRepository(
  data: Answers['repos']['get']['response']['data'],
  gitUrl?: string,
): RepositoryFacts {
  const { id, name, full_name: fullName, owner } = data;
  return {
    id,
    owner: owner.login,
    name,
    fullName,
    defaultBranch: data.default_branch,
    isArchived: data.archived,
    cloneUrl: gitUrl === undefined ? data.clone_url : `${gitUrl.replace(/\/+$/, '')}/${fullName}.git`,
  };
}

export function readPull(data: Answers['pulls']['get']['response']['data']): PullFacts {
  // The description says a head always has a repository; it is null once the fork is deleted.
  const headRepository = data.head.repo as { readonly id: number } | null;
  return {
    number: data.number,
    state: data.state,
    isMerged: data.merged,
    isDraft: data.draft ?? false,
    author: readAccount(data.user),
    head: {
      sha: commitId(data.head.sha),
      branch: data.head.ref,
      repositoryId: headRepository?.id ?? null,
    },
    base: { sha: commitId(data.base.sha), branch: data.base.ref },
  };
}

export function readThread(data: Answers['issues']['get']['response']['data']): ThreadFacts {
  return {
    number: data.number,
    state: data.state === 'open' ? 'open' : 'closed',
    isPull: data.pull_request !== undefined,
    isLocked: data.locked,
  };
}

export function readComment(
  data: Answers['issues']['getComment']['response']['data'],
  us: OurAccount,
): CommentFacts {
  const author = readAccount(data.user);
  const isOurApp = data.performed_via_github_app?.id === us.appId;
  return {
    id: data.id,
    body: data.body ?? '',
    author,
    createdAt: Date.parse(data.created_at),
    url: data.html_url,
    // By the bot: a person who wrote through the app (with a user token) is still a person.
    isOurs: author.isBot && (isOurApp || author.login === us.botLogin),
  };
}

export function readCheck(
  data: Item<Answers['checks']['listForRef']['response']['data']['check_runs']>,
): CheckFacts {
  return {
    id: data.id,
    name: data.name,
    externalId: data.external_id ?? '',
    conclusion: data.conclusion as CheckConclusion | null,
  };
}

const ROLES: readonly Role[] = ['admin', 'maintain', 'write', 'triage', 'read', 'none'];

/**
 * `permission` knows four words only: maintain counts as write there, triage as read. A custom role has a
 * `role_name` of its own making; what it is built on stands in `permission`.
 */
export function readRole(data: Answers['repos']['getCollaboratorPermissionLevel']['response']['data']): Role {
  return roleNamed(data.role_name) ?? roleNamed(data.permission) ?? 'none';
}

function roleNamed(name: string | undefined): Role | undefined {
  return ROLES.find(role => role === name);
}

/** Who deleted their account is nobody. */
function readAccount(user: { readonly login: string; readonly type?: string } | null | undefined): Account {
  const login = user?.login ?? 'ghost';
  return { login, isBot: user?.type === 'Bot' || isBotLogin(login) };
}

/** https://github.com/novuhq/novu/pull/10260: the permission API fails for these. */
export function isBotLogin(login: string): boolean {
  return /\[bot\]$/i.test(login);
}
