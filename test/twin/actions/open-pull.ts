import type { Core } from '../core.ts';
import { readCommits } from '../git/read-commits.ts';
import { branchHead } from '../git/refs.ts';
import { git } from '../git/run-git.ts';
import { ApiError } from '../http/api-error.ts';
import { emitThread } from '../webhooks/thread-events.ts';
import type { Pull, Repository, Thread } from '../world/world.ts';
import { addThread, type ThreadInput } from './threads.ts';

export interface PullInput extends ThreadInput {
  readonly headRepository: Repository;
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean;
  readonly maintainerCanModify?: boolean;
}

export async function openPull(core: Core, input: PullInput): Promise<Thread> {
  const { repository, headRepository, head, base } = input;
  const headSha = await branchHead(headRepository, head);
  const baseSha = await branchHead(repository, base);
  if (headSha === undefined) throw failed({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (baseSha === undefined) throw failed({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  refuseSecond(input);
  await refuseEmpty(input, headSha, baseSha);
  const pull: Pull = {
    id: core.world.nextId(),
    headRepository,
    headBranch: head,
    headSha,
    baseBranch: base,
    baseSha,
    draft: input.draft ?? false,
    maintainerCanModify: headRepository === repository ? false : (input.maintainerCanModify ?? true),
    merged: null,
  };
  const thread = addThread(core, input, pull);
  await publishHead(core, thread);
  await noteCommits(thread, baseSha);
  await emitThread(core, thread, 'opened', input.author);
  return thread;
}

function failed(error: Record<string, string>): ApiError {
  return new ApiError(422, 'Validation Failed', { errors: [error] });
}

function refuseSecond({ repository, headRepository, head, base }: PullInput): void {
  const label = `${headRepository.owner.login}:${head}`;
  const second = [...repository.threads.values()].some(
    ({ pull, state }) =>
      state === 'open' &&
      pull?.headRepository === headRepository &&
      pull.headBranch === head &&
      pull.baseBranch === base,
  );
  if (!second) return;
  throw failed({
    resource: 'PullRequest',
    code: 'custom',
    message: `A pull request already exists for ${label}.`,
  });
}

async function refuseEmpty(input: PullInput, headSha: string, baseSha: string): Promise<void> {
  await fetchObjects(input.repository, input.headRepository, headSha);
  const count = await git(input.repository.directory, ['rev-list', '--count', `${baseSha}..${headSha}`]);
  if (count !== '0') return;
  const message = `No commits between ${input.base} and ${input.head}`;
  throw failed({ resource: 'PullRequest', code: 'custom', message });
}

/** Forks of one network share their objects: the head can be fetched from the base by its id at once. */
async function fetchObjects(into: Repository, from: Repository, sha: string): Promise<void> {
  if (into === from) return;
  await git(into.directory, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', from.directory, sha]);
}

/** Moves `refs/pull/N/head`, now or when a test lets it: the real one lags behind the webhook at times. */
export async function publishHead(core: Core, thread: Thread): Promise<void> {
  const { pull, repository } = thread;
  if (pull === null) return;
  if (pull.headRepository !== null) await fetchObjects(repository, pull.headRepository, pull.headSha);
  const sha = pull.headSha;
  const move = async (): Promise<void> => {
    await git(repository.directory, ['update-ref', `refs/pull/${thread.number}/head`, sha]);
  };
  if (core.world.heldPullRefs === null) await move();
  else core.world.heldPullRefs.push(move);
}

export async function noteCommits(thread: Thread, since: string): Promise<void> {
  if (thread.pull === null) return;
  const commits = await readCommits(thread.repository, [thread.pull.headSha, `^${since}`]);
  const known = new Set(thread.timeline.flatMap(each => (each.kind === 'committed' ? [each.sha] : [])));
  for (const { id } of commits) if (!known.has(id)) thread.timeline.push({ kind: 'committed', sha: id });
}
