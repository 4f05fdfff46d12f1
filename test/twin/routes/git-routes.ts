import { readCommit } from '../git/read-commits.ts';
import { branchHead, readRef, readRefs, resolveCommit } from '../git/refs.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { paginate } from '../http/paginate.ts';
import { ok, type Reply, type RepositoryCall, type Route, text } from '../http/route.ts';
import { type Json, nodeId } from '../present/account.ts';
import { presentCommit } from '../present/commit.ts';
import { repositoryUrl } from '../present/repository.ts';
import { fullName } from '../world/look-up.ts';

export const gitRoutes: readonly Route[] = [
  {
    route: 'GET /repos/{owner}/{repo}/git/ref/{ref}',
    access: 'repository',
    need: [['contents', 'read']],
    handle: async call => {
      const ref = `refs/${text(call, 'ref')}`;
      const sha = await readRef(call.repository, ref);
      if (sha === undefined) throw notFound();
      return ok(presentRef(call, ref, sha));
    },
  },
  {
    route: 'GET /repos/{owner}/{repo}/git/matching-refs/{ref}',
    access: 'repository',
    need: [['contents', 'read']],
    handle: async call => {
      const start = `refs/${text(call, 'ref')}`;
      const refs = [...(await readRefs(call.repository))].filter(([ref]) => ref.startsWith(start));
      return paginate(call, refs, ([ref, sha]) => presentRef(call, ref, sha));
    },
  },
  {
    route: 'GET /repos/{owner}/{repo}/branches/{branch}',
    access: 'repository',
    need: [['contents', 'read']],
    handle: getBranch,
  },
  {
    route: 'GET /repos/{owner}/{repo}/commits/{ref}',
    access: 'repository',
    need: [['contents', 'read']],
    handle: async call => {
      const name = text(call, 'ref');
      const id = await resolveCommit(call.repository, name);
      if (id === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`);
      return ok(presentCommit(call.core.world, call.repository, await readCommit(call.repository, id)));
    },
  },
];

function presentRef({ core, repository }: RepositoryCall, ref: string, sha: string): Json {
  const git = `${repositoryUrl(core.world.origin, repository)}/git`;
  return {
    ref,
    node_id: nodeId('REF', Number.parseInt(sha.slice(0, 8), 16)),
    url: `${git}/${ref}`,
    object: { sha, type: 'commit', url: `${git}/commits/${sha}` },
  };
}

async function getBranch(call: RepositoryCall): Promise<Reply> {
  const { core, repository } = call;
  const name = text(call, 'branch');
  const sha = await branchHead(repository, name);
  if (sha === undefined) throw new ApiError(404, 'Branch not found');
  const self = `${repositoryUrl(core.world.origin, repository)}/branches/${name}`;
  const isProtected = repository.protections.has(name);
  return ok({
    name,
    commit: presentCommit(core.world, repository, await readCommit(repository, sha)),
    _links: { self, html: `${core.world.origin}/${fullName(repository)}/tree/${name}` },
    protected: isProtected,
    protection: { enabled: isProtected, required_status_checks: { contexts: [], checks: [] } },
    protection_url: `${self}/protection`,
  });
}
