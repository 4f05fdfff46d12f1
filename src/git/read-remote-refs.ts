import type { GitRepository } from './bare-repository.ts';
import { GitFault } from './git-fault.ts';
import { type CommitId, parseCommitId } from './object-id.ts';
import { parseRefName, type RefName } from './ref-name.ts';
import type { Remote } from './remote.ts';
import { type Gone, runRemote } from './run-remote.ts';

export type RemoteRefs = { readonly kind: 'read'; readonly refs: ReadonlyMap<RefName, CommitId> } | Gone;

export interface ReadRefsOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Where the named refs of a remote stand now; those it does not have are missing from the map. A pattern ends
 * with `/*` and finds every ref below. `gone` when there is no such repository. Faults: those of `runRemote`.
 */
export async function readRemoteRefs(
  repository: GitRepository,
  remote: Remote,
  names: readonly string[],
  options: ReadRefsOptions = {},
): Promise<RemoteRefs> {
  for (const name of names) assertName(name);
  const answer = await runRemote({
    directory: repository.gitDirectory,
    gitDirectory: repository.gitDirectory,
    args: ['ls-remote', '--quiet', '--refs', '--end-of-options', remote.url, ...names],
    remote,
    ...options,
  });
  if (answer.kind === 'gone') return answer;
  const refs = new Map<RefName, CommitId>();
  for (const line of answer.result.stdout.toString('utf8').trimEnd().split('\n')) {
    const [id = '', name = ''] = line.split('\t');
    const commit = parseCommitId(id);
    // ls-remote matches tails: `refs/x/refs/heads/main` answers to `refs/heads/main` too.
    if (commit !== undefined && names.some(wanted => matches(wanted, name)))
      refs.set(name as RefName, commit);
  }
  return { kind: 'read', refs };
}

function matches(wanted: string, name: string): boolean {
  return wanted.endsWith('/*') ? name.startsWith(wanted.slice(0, -1)) : wanted === name;
}

function assertName(name: string): void {
  const result = parseRefName(name.endsWith('/*') ? `${name.slice(0, -1)}any` : name);
  if (result.kind === 'ok') return;
  const message = `Cannot look up the ref ${JSON.stringify(name)}: ${result.why}. Give its full name.`;
  throw new GitFault('git-bad-name', message);
}
