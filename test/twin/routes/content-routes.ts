import { resolveCommit } from '../git/refs.ts';
import { git, tryGit } from '../git/run-git.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { ok, type Reply, type RepositoryCall, type Route, text } from '../http/route.ts';
import type { Json } from '../present/account.ts';
import { repositoryUrl } from '../present/repository.ts';
import { fullName } from '../world/look-up.ts';
import type { Repository } from '../world/world.ts';

export const contentRoutes: readonly Route[] = [
  {
    route: 'GET /repos/{owner}/{repo}/contents/{path}',
    access: 'repository',
    need: [['contents', 'read']],
    handle: getContents,
  },
];

interface Entry {
  readonly mode: string;
  readonly kind: string;
  readonly sha: string;
  readonly size: number;
  readonly path: string;
}

// "If the requested file's size is between 1-100 MB, only the raw media type is supported": content stays empty.
const LARGEST_INLINE = 1024 * 1024;

async function getContents(call: RepositoryCall): Promise<Reply> {
  const { repository } = call;
  const path = text(call, 'path').replace(/^\/+|\/+$/g, '');
  const ref = text(call, 'ref') || repository.defaultBranch;
  const commit = await resolveCommit(repository, ref);
  if (commit === undefined) throw new ApiError(404, `No commit found for the ref ${ref}`);
  if (path === '') {
    const children = await listTree(repository, commit, '.');
    return ok(children.map(each => presentEntry(call, each, ref)));
  }
  const [entry] = await listTree(repository, commit, path);
  if (entry === undefined) throw notFound();
  const base = presentEntry(call, entry, ref);
  if (entry.kind === 'tree') {
    const children = await listTree(repository, commit, `${path}/`);
    return ok(children.map(each => presentEntry(call, each, ref)));
  }
  if (entry.kind === 'commit') return ok({ ...base, type: 'submodule', submodule_git_url: '' });
  const { stdout } = await tryGit(repository.directory, ['cat-file', 'blob', entry.sha]);
  if (entry.mode === '120000') return ok({ ...base, target: stdout.toString('utf8') });
  const isLarge = entry.size > LARGEST_INLINE;
  const content = isLarge ? '' : stdout.toString('base64').replace(/.{1,60}/g, '$&\n');
  return ok({ ...base, content, encoding: isLarge ? 'none' : 'base64' });
}

async function listTree(repository: Repository, commit: string, path: string): Promise<readonly Entry[]> {
  const listing = await git(repository.directory, [
    'ls-tree',
    '-z',
    '--long',
    '--full-tree',
    commit,
    '--',
    path,
  ]);
  return listing
    .split('\0')
    .filter(Boolean)
    .map(line => {
      const [mode = '', kind = '', sha = '', size = ''] = line.slice(0, line.indexOf('\t')).split(/ +/);
      return { mode, kind, sha, size: Number(size) || 0, path: line.slice(line.indexOf('\t') + 1) };
    });
}

const TYPES: Readonly<Record<string, string>> = { tree: 'dir', commit: 'submodule', blob: 'file' };

function presentEntry({ core, repository }: RepositoryCall, entry: Entry, ref: string): Json {
  const { path, sha, size, kind, mode } = entry;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const api = repositoryUrl(core.world.origin, repository);
  const self = `${api}/contents/${encoded}?ref=${encodeURIComponent(ref)}`;
  const page = `${core.world.origin}/${fullName(repository)}`;
  const html = `${page}/blob/${ref}/${encoded}`;
  const gitUrl = kind === 'commit' ? null : `${api}/git/${kind}s/${sha}`;
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    sha,
    size,
    url: self,
    html_url: html,
    git_url: gitUrl,
    download_url: kind === 'blob' ? `${page}/raw/${ref}/${encoded}` : null,
    type: mode === '120000' ? 'symlink' : TYPES[kind],
    _links: { self, git: gitUrl, html },
  };
}
