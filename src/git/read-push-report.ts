import { GitFault } from './git-fault.ts';

export type PushedAs = 'created' | 'updated' | 'forced' | 'deleted' | 'unchanged';

/** What git reported about one ref of a push. */
export type PushLine =
  | { readonly kind: 'accepted'; readonly ref: string; readonly as: PushedAs }
  | { readonly kind: 'rejected'; readonly ref: string; readonly by: 'git' | 'remote'; readonly why: string };

const FLAGS: Readonly<Record<string, PushedAs>> = {
  ' ': 'updated',
  '+': 'forced',
  '*': 'created',
  '-': 'deleted',
  '=': 'unchanged',
};

/**
 * Reads `git push --porcelain`: `<flag> TAB <from>:<to> TAB <summary> (<reason>)` for each ref, around it `To`
 * and `Done`. Source: https://git-scm.com/docs/git-push, "Output". Throws `git-bad-output` for a flag that page
 * does not name.
 */
export function readPushReport(stdout: string): PushLine[] {
  return stdout
    .split('\n')
    .filter(line => line[1] === '\t')
    .map(readLine);
}

function readLine(line: string): PushLine {
  const flag = line[0] ?? '';
  const [, refs = '', summary = ''] = line.split('\t');
  const ref = refs.slice(refs.indexOf(':') + 1);
  const as = FLAGS[flag];
  if (as !== undefined) return { kind: 'accepted', ref, as };
  if (flag !== '!') throw new GitFault('git-bad-output', `git push reported in words unknown to us: ${line}`);
  const [, label = '', why = ''] = /^\[([^\]]*)\]\s*(?:\((.*)\))?/.exec(summary) ?? [];
  return {
    kind: 'rejected',
    ref,
    by: label.startsWith('remote') ? 'remote' : 'git',
    why: why || label || summary,
  };
}
