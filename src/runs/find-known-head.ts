import type { Forge } from '../forge/forge.ts';
import type { CommitId } from '../git/object-id.ts';
import { parseCommitId } from '../git/object-id.ts';
import { readEvidence } from './evidence.ts';
import type { Session } from './open-session.ts';
import { runRefOf } from './run-request.ts';

export type KnownHead = { readonly kind: 'known' } | { readonly kind: 'moved'; readonly to: CommitId };

/** Our own commits that may lie between the head the writer saw and the head now. */
const MOST_OWN_COMMITS = 50;
const TRAILER = /^Skillkeeper-Run: ([0-9a-f]{32})$/mu;

/** What is known of the moment somebody wrote a command. */
export interface Seen {
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly commentedAt: number;
  /** The head they named, as far as they wrote it. */
  readonly named: string | undefined;
  /** When GitHub learned of the head; asked for before, since it is nearly always the answer. */
  readonly headArrival: Promise<number | undefined>;
}

/**
 * Whether a command may act on this head: GitHub knew it before the comment came (by GitHub's own clock, since
 * commit dates prove nothing), or the writer named it, or only commits of ours lie between it and such a head.
 * The head must have been fetched. Source: settled 2; a comment's event carries no head of its own.
 */
export async function findKnownHead(
  forge: Forge,
  session: Session,
  head: CommitId,
  seen: Seen,
): Promise<KnownHead> {
  let at = head;
  for (let steps = 0; steps < MOST_OWN_COMMITS; steps += 1) {
    const arrival = at === head ? seen.headArrival : forge.arrival(at);
    if (await wasSeen(at, arrival, seen)) return { kind: 'known' };
    const parent = await parentOfOwnCommit(session, at);
    if (parent === undefined) break;
    at = parent;
  }
  return { kind: 'moved', to: head };
}

async function wasSeen(
  commit: CommitId,
  arrival: Promise<number | undefined>,
  { commentedAt, named }: Seen,
): Promise<boolean> {
  if (named !== undefined) return commit.startsWith(named);
  const arrivedAt = await arrival;
  return arrivedAt !== undefined && arrivedAt <= commentedAt;
}

// Anybody can write the trailer; only the run ref it names, which names the commit back, makes it ours.
async function parentOfOwnCommit(session: Session, commit: CommitId): Promise<CommitId | undefined> {
  const object = await session.reader.read(commit);
  const text = object?.type === 'commit' ? object.bytes.toString('utf8') : '';
  const [, runId] = TRAILER.exec(text) ?? [];
  const [, parent = ''] = /^parent ([0-9a-f]+)$/mu.exec(text.slice(0, text.indexOf('\n\n'))) ?? [];
  if (runId === undefined) return undefined;
  const runRef = await session.remoteRef(runRefOf(runId));
  if (runRef === undefined || runRef === 'gone') return undefined;
  if ((await session.fetch(runRef, 'evidence')) === 'gone') return undefined;
  const evidence = await readEvidence(session.reader, runRef);
  return evidence?.commit === commit && evidence.run === runId ? parseCommitId(parent) : undefined;
}
