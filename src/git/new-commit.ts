import type { ChangeSet } from '../snapshot/change-set.ts';
import type { CommitId } from './object-id.ts';

/** Who made a commit, and when; the time is written in whole seconds, UTC. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly at: Date;
}

/** A commit to be written. */
export interface NewCommit {
  /** The commit the changes were planned on; null for one that starts from nothing. */
  readonly parent: CommitId | null;
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
  /** Must have passed `checkChanges` on the parent's snapshot. */
  readonly changes: ChangeSet;
}
