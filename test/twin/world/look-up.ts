import type {
  Account,
  CheckRun,
  CheckSuite,
  Comment,
  Installation,
  Repository,
  Thread,
  World,
} from './world.ts';

export function fullName(repository: Repository): string {
  return `${repository.owner.login}/${repository.name}`;
}

/** By `owner/name`, in any case; a past name finds nothing here. */
export function findRepository(world: World, name: string): Repository | undefined {
  const wanted = name.toLowerCase();
  return [...world.repositories.values()].find(each => fullName(each).toLowerCase() === wanted);
}

export function findRenamed(world: World, name: string): Repository | undefined {
  const wanted = name.toLowerCase();
  return [...world.repositories.values()].find(each => each.pastNames.includes(wanted));
}

export function findAccount(world: World, login: string): Account | undefined {
  return world.accounts.get(login.toLowerCase());
}

export function findComment(repository: Repository, id: number): Comment | undefined {
  for (const thread of repository.threads.values()) {
    const comment = thread.comments.find(each => each.id === id);
    if (comment !== undefined) return comment;
  }
  return undefined;
}

export function installationsOn(world: World, repository: Repository): readonly Installation[] {
  return [...world.installations.values()].filter(each => covers(each, repository));
}

export function covers(installation: Installation, repository: Repository): boolean {
  if (installation.account.id !== repository.owner.id) return false;
  return installation.selection === 'all' || installation.repositories.has(repository.id);
}

export function pullsFrom(world: World, repository: Repository, branch: string): readonly Thread[] {
  return [...world.repositories.values()]
    .flatMap(each => [...each.threads.values()])
    .filter(({ pull }) => pull?.headRepository === repository && pull.headBranch === branch);
}

export function suitesOf(world: World, repository: Repository): readonly CheckSuite[] {
  return [...world.suites.values()].filter(each => each.repository === repository);
}

/** Newest first, as GitHub lists them. */
export function runsOf(world: World, repository: Repository, sha?: string): readonly CheckRun[] {
  return [...world.runs.values()]
    .filter(({ suite }) => suite.repository === repository && (sha === undefined || suite.headSha === sha))
    .reverse();
}

/** For the calls of a test: what it names must be there. */
export function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`The twin has no ${what}. Create it first.`);
  return value;
}
