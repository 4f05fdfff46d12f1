import { GitFault } from './git-fault.ts';
import type { Remote } from './remote.ts';
import { type GitCall, type GitResult, runGit } from './run-git.ts';

/** What a remote answered when it does not have what was asked for. */
export type Gone = {
  readonly kind: 'gone';
  /** `repository` also stands for one that the token may not see: hosts do not tell the two apart. */
  readonly what: 'repository' | 'commit' | 'ref';
};

export type RemoteAnswer = { readonly kind: 'answered'; readonly result: GitResult } | Gone;

/**
 * Runs a git command that talks to `remote` and tells apart why it failed. What the remote does not have is the
 * outcome `gone`. Faults: `git-network` (retry later), `git-auth` (the token is missing, expired or may not),
 * `git-redirected` (the repository was renamed), and those of `runGit`.
 */
export async function runRemote(call: GitCall & { readonly remote: Remote }): Promise<RemoteAnswer> {
  try {
    return { kind: 'answered', result: await runGit(call) };
  } catch (cause) {
    if (!(cause instanceof GitFault) || cause.code !== 'git-failed') throw cause;
    return goneOrFault(cause, call.remote);
  }
}

/** Reads a failed command's words: `gone`, or throws the fault that says what to do. */
export function goneOrFault(cause: GitFault, remote: Remote): Gone {
  const trouble = readTrouble(cause.stderr);
  if (trouble === 'repository' || trouble === 'commit' || trouble === 'ref') {
    return { kind: 'gone', what: trouble };
  }
  if (trouble === 'other') throw cause;
  const [code, why, retry] = EXPLANATIONS[trouble];
  const details = { exitCode: cause.exitCode, args: cause.args, stderr: cause.stderr, retry, cause } as const;
  throw new GitFault(
    code,
    `git ${cause.args[0]} with ${remote.url} failed: ${why} ${lastLine(cause)}`,
    details,
  );
}

type Trouble = 'auth' | 'redirected' | 'network' | 'repository' | 'commit' | 'ref' | 'other';

const EXPLANATIONS = {
  auth: [
    'git-auth',
    'the remote refused our credentials. Check that the app is installed there with access to contents.',
    'never',
  ],
  redirected: [
    'git-redirected',
    'the repository answers at another address now. Read its current name and use that.',
    'now',
  ],
  network: ['git-network', 'the remote could not be reached or broke off. Try again later.', 'later'],
} as const;

// In this order: git wraps most of them into "unable to access". Only git's own lines are read; lines that start
// with `remote:` are the other side's words and prove nothing.
const SIGNS: readonly (readonly [Trouble, RegExp])[] = [
  ['auth', /could not read (?:Username|Password)|Authentication failed|(?:error:|HTTP) 40[13]\b/],
  ['redirected', /(?:error:|HTTP) 30\d\b|unable to update url base from redirection/],
  [
    'repository',
    /repository '.*' not found|does not appear to be a git repository|(?:error:|HTTP) 4(?:04|10)\b/,
  ],
  ['commit', /not our ref|unadvertised object|did not send all necessary objects/],
  ['ref', /couldn't find remote ref/],
  [
    'network',
    /unable to access|RPC failed|(?:error:|HTTP) (?:408|429|5\d\d)\b|hung up|early EOF|unexpected disconnect|Connection|timed out|expected flush|invalid index-pack output/,
  ],
];

function readTrouble(stderr: string): Trouble {
  const lines = stderr.split('\n').filter(line => /^(?:fatal|error):/.test(line));
  return SIGNS.find(([, sign]) => lines.some(line => sign.test(line)))?.[0] ?? 'other';
}

function lastLine(cause: GitFault): string {
  const line = cause.stderr.trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? '' : `(git said: ${line})`;
}
