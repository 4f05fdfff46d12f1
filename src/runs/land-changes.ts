import type { NewCommit } from '../git/new-commit.ts';
import type { CommitId } from '../git/object-id.ts';
import { type PushOutcome, pushRefs } from '../git/push.ts';
import { beginCommits } from '../git/write-commit.ts';
import type { ChangeSet } from '../snapshot/change-set.ts';
import { type Evidence, evidenceCommit } from './evidence.ts';
import type { Session } from './open-session.ts';
import { runRefOf } from './run-request.ts';

export interface Landing {
  readonly runId: string;
  /** Full name of the branch that gets the commit. */
  readonly branch: string;
  /** Where the branch must stand for the push to happen; null: it must not exist. */
  readonly expected: CommitId | null;
  /** The commit the changes were planned on. */
  readonly parent: CommitId;
  readonly changes: ChangeSet;
  readonly message: string;
  readonly person: NewCommit['author'];
  /** What the run leaves behind, once the id of its commit is known. */
  readonly evidence: (commit: CommitId) => Evidence;
}

export type Landed =
  | { readonly kind: 'landed'; readonly commit: CommitId }
  /** A ref moved since it was read: the branch, or this run has landed already. Nothing was pushed. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'gone' };

/**
 * Lands a change set as one commit, exactly once: the branch and the run ref move in one atomic push, each under
 * its own lease, so that a second attempt finds the run ref and can not push again.
 * After a network fault nobody knows whether it arrived; the next attempt reads the run ref first.
 */
export async function landChanges(session: Session, landing: Landing, signal: AbortSignal): Promise<Landed> {
  const asking = session.writeAccess();
  asking.catch(() => undefined); // looked at when the commits are written; until then nobody else would
  try {
    const [commit, evidence] = await writeBoth(session, landing);
    const { remote } = await asking;
    const updates = [
      { ref: landing.branch, to: commit, expected: landing.expected },
      { ref: runRefOf(landing.runId), to: evidence, expected: null },
    ];
    return tellPush(await pushRefs(session.repository, remote, updates, { signal }), commit);
  } finally {
    // Minted while the commits were written; given back whatever became of them.
    await asking.then(
      ({ release }) => release(),
      () => undefined,
    );
  }
}

async function writeBoth(session: Session, landing: Landing): Promise<readonly [CommitId, CommitId]> {
  const { runId, parent, changes, person } = landing;
  const message = `${landing.message.trimEnd()}\n\nSkillkeeper-Run: ${runId}\n`;
  const { repository } = session;
  const own = await beginCommits(repository, [
    { parent, author: person, committer: person, message, changes },
  ]);
  const commit = onlyOne(own.ids);
  const kept = await beginCommits(repository, [evidenceCommit(landing.evidence(commit), person)]);
  await Promise.all([own.verified, kept.verified]);
  return [commit, onlyOne(kept.ids)];
}

function onlyOne(ids: readonly CommitId[]): CommitId {
  if (ids[0] === undefined) throw new TypeError('git wrote no commit');
  return ids[0];
}

function tellPush(pushed: PushOutcome, commit: CommitId): Landed {
  switch (pushed.kind) {
    case 'pushed':
      return { kind: 'landed', commit };
    case 'unchanged':
    case 'stale':
      return { kind: 'moved' };
    case 'refused':
      return { kind: 'refused', why: pushed.message };
    case 'gone':
      return { kind: 'gone' };
  }
}
