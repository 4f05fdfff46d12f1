import { fullName } from '../world/look-up.ts';
import type { Repository, World } from '../world/world.ts';
import { type Json, nodeId, presentAccount } from './account.ts';

/** Below `url`; the braces are GitHub's own. */
const LINKS = {
  archive: '/{archive_format}{/ref}',
  assignees: '/assignees{/user}',
  blobs: '/git/blobs{/sha}',
  branches: '/branches{/branch}',
  collaborators: '/collaborators{/collaborator}',
  comments: '/comments{/number}',
  commits: '/commits{/sha}',
  compare: '/compare/{base}...{head}',
  contents: '/contents/{+path}',
  contributors: '/contributors',
  deployments: '/deployments',
  downloads: '/downloads',
  events: '/events',
  forks: '/forks',
  git_commits: '/git/commits{/sha}',
  git_refs: '/git/refs{/sha}',
  git_tags: '/git/tags{/sha}',
  hooks: '/hooks',
  issue_comment: '/issues/comments{/number}',
  issue_events: '/issues/events{/number}',
  issues: '/issues{/number}',
  keys: '/keys{/key_id}',
  labels: '/labels{/name}',
  languages: '/languages',
  merges: '/merges',
  milestones: '/milestones{/number}',
  notifications: '/notifications{?since,all,participating}',
  pulls: '/pulls{/number}',
  releases: '/releases{/id}',
  stargazers: '/stargazers',
  statuses: '/statuses/{sha}',
  subscribers: '/subscribers',
  subscription: '/subscription',
  tags: '/tags',
  teams: '/teams',
  trees: '/git/trees{/sha}',
} as const;

export function repositoryUrl(origin: string, repository: Repository): string {
  return `${origin}/repos/${fullName(repository)}`;
}

/** The short form: everything but counts and dates. */
export function presentMinimalRepository(origin: string, repository: Repository): Json {
  const url = repositoryUrl(origin, repository);
  const links = Object.entries(LINKS).map(([name, path]) => [`${name}_url`, `${url}${path}`]);
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.isPrivate,
    owner: presentAccount(origin, repository.owner),
    html_url: `${origin}/${fullName(repository)}`,
    description: null,
    fork: repository.forkOf !== null,
    url,
    ...Object.fromEntries(links),
  };
}

export function presentRepository(world: World, repository: Repository): Json {
  const page = `${world.origin}/${fullName(repository)}`;
  const threads = [...repository.threads.values()];
  const open = threads.filter(each => each.state === 'open').length;
  const forks = [...world.repositories.values()].filter(each => each.forkOf === repository).length;
  const counts = { stargazers_count: 0, watchers_count: 0, watchers: 0, size: 0 };
  return {
    ...presentMinimalRepository(world.origin, repository),
    ...counts,
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    git_url: `git://${new URL(page).host}/${fullName(repository)}.git`,
    ssh_url: `git@${new URL(page).hostname}:${fullName(repository)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: forks,
    forks,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: open,
    open_issues: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repository.isPrivate ? 'private' : 'public',
    default_branch: repository.defaultBranch,
  };
}

export function presentFullRepository(world: World, repository: Repository): Json {
  const parent = repository.forkOf === null ? null : presentRepository(world, repository.forkOf);
  return {
    ...presentRepository(world, repository),
    network_count: 0,
    subscribers_count: 0,
    ...(parent === null ? {} : { parent, source: parent }),
  };
}
