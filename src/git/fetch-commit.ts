import type { GitRepository } from './bare-repository.ts';
import { FETCH } from './fetch-arguments.ts';
import { GitFault } from './git-fault.ts';
import { type CommitId, isObjectId } from './object-id.ts';
import type { Remote } from './remote.ts';
import { runGit } from './run-git.ts';
import { type Gone, runRemote } from './run-remote.ts';

export type FetchOutcome = { readonly kind: 'fetched' } | Gone;

export interface FetchOptions {
  /** The ref that holds the commit in the private repository; `refs/run/head` when left out. */
  readonly into?: 'refs/run/head' | 'refs/run/base' | 'refs/run/evidence';
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Fetches exactly one commit, by id, with what it needs and the repository does not have yet. `gone` when the
 * remote does not know the commit or the repository (or may not show it to us). The ref afterwards is that
 * commit and nothing else. Faults: `git-bad-name` for what is no commit id, `git-object-unexpected` when the id
 * names something else, and those of `runRemote`.
 */
export async function fetchCommit(
  repository: GitRepository,
  remote: Remote,
  commit: CommitId,
  options: FetchOptions = {},
): Promise<FetchOutcome> {
  if (!isObjectId(commit)) {
    const message = `Cannot fetch ${JSON.stringify(commit)}: it is no whole commit id. Give all its digits.`;
    throw new GitFault('git-bad-name', message);
  }
  const { into = 'refs/run/head', ...limits } = options;
  const place = { directory: repository.gitDirectory, gitDirectory: repository.gitDirectory };
  const args = [...FETCH, '--end-of-options', remote.url, `+${commit}:${into}`];
  const answer = await runRemote({ ...place, args, remote, ...limits });
  if (answer.kind === 'gone') return answer.what === 'ref' ? { kind: 'gone', what: 'commit' } : answer;
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${into}^{commit}`];
  const { stdout } = await runGit({ ...place, args: verify, exitCodes: [0, 1, 128] });
  if (stdout.toString('latin1').trim() === commit) return { kind: 'fetched' };
  const message = `${remote.url} gave something else than the commit ${commit}. Check that the id names a commit.`;
  throw new GitFault('git-object-unexpected', message);
}
