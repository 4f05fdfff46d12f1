import { type Commit, readCommits } from './git/read-commits.ts';
import { branchHead, readRefs } from './git/refs.ts';
import { tryGit } from './git/run-git.ts';
import { must, runsOf, suitesOf } from './world/look-up.ts';
import type { CheckRun, CheckSuite, Comment, Reaction, Repository, Thread, World } from './world/world.ts';

/** What a test looks at afterwards. */
export interface TwinState {
  readonly thread: (repo: string, number: number) => Thread;
  readonly comments: (repo: string, number: number) => readonly Comment[];
  readonly commentById: (id: number) => Comment;
  readonly reactions: (commentId: number) => readonly Reaction[];
  /** Newest first, each with its history. */
  readonly checkRuns: (repo: string, sha?: string) => readonly CheckRun[];
  readonly checkSuites: (repo: string, sha?: string) => readonly CheckSuite[];
  /** Of a branch or commit, newest first. */
  readonly commits: (repo: string, branch: string) => Promise<readonly Commit[]>;
  readonly head: (repo: string, branch: string) => Promise<string>;
  /** Full name to id. */
  readonly refs: (repo: string, prefix?: string) => Promise<ReadonlyMap<string, string>>;
  /** The bare repository on disk. */
  readonly pathOf: (repo: string) => string;
  /** What a file holds at a branch or commit; undefined when it is not there. */
  readonly readFile: (repo: string, ref: string, path: string) => Promise<Buffer | undefined>;
}

export function readState(world: World, repositoryOf: (repo: string) => Repository): TwinState {
  const commentById = (id: number): Comment => {
    const all = [...world.repositories.values()].flatMap(each => [...each.threads.values()]);
    const found = all.flatMap(each => each.comments).find(each => each.id === id);
    return must(found, `comment ${id}`);
  };
  const thread = (repo: string, number: number): Thread =>
    must(repositoryOf(repo).threads.get(number), `#${number} in ${repo}`);
  return {
    thread,
    commentById,
    comments: (repo, number) => thread(repo, number).comments,
    reactions: id => commentById(id).reactions,
    checkRuns: (repo, sha) => runsOf(world, repositoryOf(repo), sha),
    checkSuites: (repo, sha) =>
      suitesOf(world, repositoryOf(repo)).filter(each => sha === undefined || each.headSha === sha),
    commits: async (repo, branch) => [...(await readCommits(repositoryOf(repo), [branch]))].reverse(),
    head: async (repo, branch) => must(await branchHead(repositoryOf(repo), branch), `branch ${branch}`),
    refs: (repo, prefix) => readRefs(repositoryOf(repo), prefix),
    pathOf: repo => repositoryOf(repo).directory,
    readFile: async (repo, ref, path) => {
      const { exitCode, stdout } = await tryGit(repositoryOf(repo).directory, [
        'cat-file',
        'blob',
        `${ref}:${path}`,
      ]);
      return exitCode === 0 ? stdout : undefined;
    },
  };
}
