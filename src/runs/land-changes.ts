import type { NewCommit } from '../git/new-commit.ts';
import type { CommitId } from '../git/object-id.ts';
import { pushRefs } from '../git/push.ts';
import { writeCommits } from '../git/write-commit.ts';
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
  const { runId, branch, expected, parent, changes, person } = landing;
  const message = `${landing.message.trimEnd()}\n\nSkillkeeper-Run: ${runId}\n`;
  const [commit] = await writeCommits(session.repository, [
    { parent, author: person, committer: person, message, changes },
  ]);
  if (commit === undefined) return { kind: 'refused', why: 'git made no commit' };
  const [evidence] = await writeCommits(session.repository, [
    evidenceCommit(landing.evidence(commit), person),
  ]);
  const pushed = await session.withWriteAccess(remote =>
    pushRefs(
      session.repository,
      remote,
      [
        { ref: branch, to: commit, expected },
        { ref: runRefOf(runId), to: evidence ?? null, expected: null },
      ],
      { signal },
    ),
  );
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
