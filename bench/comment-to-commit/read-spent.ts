import type { LoggedRequest } from '../../test/twin/http/serve-rest.ts';

/** Where the time of one command went, in milliseconds. */
export interface Spent {
  /** From the webhook to the end of the push that holds the commit. */
  readonly pushed: number;
  /** From the webhook to the reaction that tells how it ended. */
  readonly told: number;
  /** Of `pushed`: in git's conversations with the forge, each from its first request to its last answer. */
  readonly git: number;
  /** Of `pushed`: in REST requests of the run, outside those conversations. */
  readonly rest: number;
  /** Of `pushed`: all that is left. */
  readonly own: number;
  /** As `own`, but what git does between its requests counts as ours too. */
  readonly ownWithGit: number;
  readonly conversations: number;
  readonly restRequests: number;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads the forge's own log of the requests since the comment. Times are the forge's: when a request came in and
 * how long it was answered, without the way there and back. The acknowledgement runs beside the run and is
 * left out: its answers would hide work of ours.
 */
export function readSpent(sentAt: number, commentId: number, log: readonly LoggedRequest[]): Spent {
  const push = log.findLast(({ method, path }) => method === 'POST' && path.endsWith('/git-receive-pack'));
  const terminal = log.findLast(({ method, path }) => method === 'POST' && isReactionOn(path, commentId));
  if (push === undefined || terminal === undefined) throw new Error('the command was not carried out');
  const pushedAt = intervalOf(push).to;
  const before = log.filter(request => request.at >= sentAt && intervalOf(request).to <= pushedAt);
  const git = before.filter(({ path }) => isGit(path));
  const rest = before.filter(({ path }) => !isGit(path) && !isReactionOn(path, commentId));
  const conversations = converse(git);
  const restIntervals = rest.map(intervalOf);
  const pushed = pushedAt - sentAt;
  const [inGit, inAny] = [covered(conversations), covered([...conversations, ...restIntervals])];
  return {
    pushed,
    told: intervalOf(terminal).to - sentAt,
    git: inGit,
    rest: inAny - inGit,
    own: pushed - inAny,
    ownWithGit: pushed - covered([...git.map(intervalOf), ...restIntervals]),
    conversations: conversations.length,
    restRequests: rest.length,
  };
}

function intervalOf({ at, milliseconds }: LoggedRequest): Interval {
  return { from: at, to: at + milliseconds };
}

function isGit(path: string): boolean {
  return /\.git\/(?:info\/refs|git-upload-pack|git-receive-pack)/u.test(path);
}

function isReactionOn(path: string, commentId: number): boolean {
  return path.includes(`/comments/${commentId}/reactions`);
}

/** Every git process that talks to a forge begins by asking for its refs; a run has one at a time. */
function converse(git: readonly LoggedRequest[]): Interval[] {
  const found: Interval[] = [];
  for (const request of [...git].sort((a, b) => a.at - b.at)) {
    const last = found.at(-1);
    const now = intervalOf(request);
    if (last === undefined || request.path.includes('/info/refs')) found.push(now);
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, now.to) };
  }
  return found;
}

/** How much time lies in at least one of them. */
function covered(intervals: readonly Interval[]): number {
  let sum = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}
