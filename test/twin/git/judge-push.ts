import { grants, tokenCovers } from '../auth/access.ts';
import { actorOf, type Principal } from '../auth/principal.ts';
import { fullName } from '../world/look-up.ts';
import { reaches, roleOf } from '../world/role.ts';
import type { Repository, World } from '../world/world.ts';
import { type RefMove, ZERO } from './refs.ts';
import { tryGit } from './run-git.ts';

export interface Refusal {
  readonly ref: string;
  /** Stands in brackets behind `[remote rejected]`. */
  readonly reason: string;
  /** What `remote:` says above it. */
  readonly words: readonly string[];
}

/** Whether this caller may push here at all. GitHub answers that before git speaks. */
export function mayPush(world: World, principal: Principal, repository: Repository): boolean {
  return mayWrite(principal, repository) || openedToMaintainers(world, principal, repository).length > 0;
}

function mayWrite(principal: Principal, repository: Repository): boolean {
  if (principal.kind === 'user') return reaches(roleOf(repository, principal.account), 'write');
  if (principal.kind !== 'installation') return false;
  return (
    tokenCovers(principal.token, repository) && grants(principal.token.permissions, [['contents', 'write']])
  );
}

/**
 * Branches of a fork whose pull request allows edits by maintainers, for whoever may write to the base. Forks that
 * belong to an organisation refuse whatever their box says.
 */
function openedToMaintainers(world: World, principal: Principal, fork: Repository): readonly string[] {
  const base = fork.forkOf;
  if (base === null || fork.owner.type === 'Organization' || !mayWrite(principal, base)) return [];
  return [...world.repositories.values()]
    .flatMap(each => [...each.threads.values()])
    .filter(({ repository, state }) => repository === base && state === 'open')
    .flatMap(({ pull }) =>
      pull?.headRepository === fork && pull.maintainerCanModify ? [pull.headBranch] : [],
    );
}

/** Why this ref may not move so, or null. */
export async function judgeMove(
  world: World,
  principal: Principal,
  repository: Repository,
  move: RefMove,
): Promise<Refusal | null> {
  const { ref } = move;
  if (ref.startsWith('refs/pull/')) return { ref, reason: 'deny updating a hidden ref', words: [] };
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
  if (!mayWrite(principal, repository)) {
    const opened = openedToMaintainers(world, principal, repository);
    if (branch === null || !opened.includes(branch)) return { ref, reason: 'permission denied', words: [] };
  }
  return (
    judgeDeletion(repository, move, branch) ??
    judgeProtection(principal, repository, branch) ??
    (await judgeWorkflows(principal, repository, move))
  );
}

function judgeDeletion(repository: Repository, move: RefMove, branch: string | null): Refusal | null {
  if (move.after !== ZERO || branch !== repository.defaultBranch) return null;
  const words = [`error: refusing to delete the current branch: ${move.ref}`];
  return { ref: move.ref, reason: 'refusing to delete the current branch', words };
}

function judgeProtection(
  principal: Principal,
  repository: Repository,
  branch: string | null,
): Refusal | null {
  const protection = branch === null ? undefined : repository.protections.get(branch);
  if (protection === undefined) return null;
  const ref = `refs/heads/${branch}`;
  const login = actorOf(principal)?.login ?? '';
  const start = `error: GH006: Protected branch update failed for ${ref}.`;
  if (protection.pushers?.includes(login) !== true) {
    const words = [start, 'error: Changes must be made through a pull request.'];
    return { ref, reason: 'protected branch hook declined', words };
  }
  if (protection.requiresSignatures !== true) return null;
  const words = [start, 'error: Commits must have verified signatures.'];
  return { ref, reason: 'protected branch hook declined', words };
}

/** Only an app is asked: may it touch files that run with the repository's secrets? */
async function judgeWorkflows(
  principal: Principal,
  repository: Repository,
  move: RefMove,
): Promise<Refusal | null> {
  if (principal.kind !== 'installation' || move.after === ZERO) return null;
  if (grants(principal.token.permissions, [['workflows', 'write']])) return null;
  const path = await changedWorkflow(repository, move);
  if (path === undefined) return null;
  const reason = `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
  return { ref: move.ref, reason, words: [] };
}

/** Against where the ref stood; of a new ref, against the nearest commit that a branch holds already. */
async function changedWorkflow(
  repository: Repository,
  { before, after }: RefMove,
): Promise<string | undefined> {
  const { directory } = repository;
  const range = before === ZERO ? [after, '--not', '--branches'] : [after, `^${before}`];
  const args = ['log', '-m', '--first-parent', '--no-renames', '--name-only', '-z', '--format=', ...range];
  const { stdout } = await tryGit(directory, [...args, '--', '.github/workflows']);
  return stdout
    .toString('utf8')
    .split('\0')
    .map(each => each.trim())
    .find(Boolean);
}

/** What `git push` prints as `remote:` when the server answers 403. */
export function deniedText(principal: Principal, repository: Repository): string {
  if (principal.kind === 'installation' && tokenCovers(principal.token, repository)) {
    return 'Write access to repository not granted.';
  }
  return `Permission to ${fullName(repository)}.git denied to ${actorOf(principal)?.login ?? ''}.`;
}
