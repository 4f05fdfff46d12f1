import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Core } from '../core.ts';
import { git } from '../git/run-git.ts';
import { makeRepository } from '../make-repository.ts';
import { emitEvent } from '../webhooks/emit.ts';
import { findRepository, fullName } from '../world/look-up.ts';
import type { Account, Repository } from '../world/world.ts';

export interface RepositoryInput {
  readonly owner: Account;
  readonly name: string;
  readonly isPrivate: boolean;
  /** A first commit on `main`; without it and `from` the repository is empty. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** A repository on disk whose branches and tags are taken over. */
  readonly from?: string;
  readonly forkOf?: Repository;
}

export async function createRepository(core: Core, input: RepositoryInput): Promise<Repository> {
  const { world } = core;
  const id = world.nextId();
  const directory = join(world.root, `${id}.git`);
  if (input.from !== undefined) await cloneInto(world.root, input.from, directory);
  else {
    const files = input.files ?? {};
    makeRepository(directory, Object.keys(files).length === 0 ? [] : [{ files, message: 'Initial commit' }]);
  }
  configure(directory, world.root);
  const head = await git(directory, ['symbolic-ref', '--short', 'HEAD']);
  const repository: Repository = {
    id,
    owner: input.owner,
    name: input.name,
    pastNames: [],
    isPrivate: input.isPrivate,
    directory,
    defaultBranch: head,
    roles: new Map(),
    forkOf: input.forkOf ?? null,
    protections: new Map(),
    threads: new Map(),
    createdAt: world.clock.iso(),
    pushedAt: world.clock.iso(),
  };
  if (findRepository(world, fullName(repository)) !== undefined) {
    throw new Error(`There is a repository ${fullName(repository)} already.`);
  }
  world.repositories.set(id, repository);
  return repository;
}

async function cloneInto(root: string, from: string, directory: string): Promise<void> {
  await git(root, ['clone', '--quiet', '--bare', '--template=', '--', from, directory]);
  await git(directory, ['remote', 'remove', 'origin']);
  const pulls = await git(directory, ['for-each-ref', '--format=delete %(refname)', 'refs/pull/']);
  if (pulls !== '') await git(directory, ['update-ref', '--stdin'], `${pulls}\n`);
}

/** What GitHub's servers allow, and our own hook in front of every ref. Written at once: eight processes fewer. */
function configure(directory: string, root: string): void {
  const lines = [
    '[http]',
    'receivepack = true',
    '[uploadpack]',
    'allowAnySHA1InWant = true',
    'allowFilter = true',
    '[receive]',
    'autogc = false',
    'procReceiveRefs = refs',
    '[gc]',
    'auto = 0',
    '[core]',
    `hooksPath = ${JSON.stringify(join(root, 'hooks'))}`,
  ];
  appendFileSync(join(directory, 'config'), `${lines.join('\n')}\n`);
}

export function forkRepository(core: Core, repository: Repository, owner: Account): Promise<Repository> {
  const { name, isPrivate, directory: from } = repository;
  return createRepository(core, { owner, name, isPrivate, from, forkOf: repository });
}

export function renameRepository(core: Core, repository: Repository, name: string): void {
  const from = repository.name;
  repository.pastNames.push(fullName(repository).toLowerCase());
  repository.name = name;
  const payload = { changes: { repository: { name: { from } } } };
  emitEvent(core, { repository, event: 'repository', action: 'renamed', sender: repository.owner, payload });
}

/** The pull requests that came from it stay, with no head repository. */
export function deleteRepository(core: Core, repository: Repository): void {
  core.world.repositories.delete(repository.id);
  for (const each of core.world.repositories.values()) {
    for (const { pull } of each.threads.values()) {
      if (pull?.headRepository === repository) pull.headRepository = null;
    }
  }
}
