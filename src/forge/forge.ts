import type { CommitId } from '../git/object-id.ts';

/** GitHub's names for what a person may do in a repository, from most to least. */
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

export interface Account {
  readonly login: string;
  readonly isBot: boolean;
}

export interface RepositoryFacts {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** `owner/name`. */
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly isArchived: boolean;
  /** Where git fetches from and pushes to, without credentials. */
  readonly cloneUrl: string;
}

export interface PullFacts {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly isMerged: boolean;
  readonly isDraft: boolean;
  readonly author: Account;
  readonly head: {
    readonly sha: CommitId;
    /** Short name of the branch. */
    readonly branch: string;
    /** Null when the fork was deleted. */
    readonly repositoryId: number | null;
  };
  readonly base: { readonly sha: CommitId; readonly branch: string };
}

export interface ThreadFacts {
  readonly number: number;
  readonly state: 'open' | 'closed';
  /** False for an issue. */
  readonly isPull: boolean;
  readonly isLocked: boolean;
}

export interface CommentFacts {
  readonly id: number;
  readonly body: string;
  readonly author: Account;
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAt: number;
  readonly url: string;
  /** True when our own app wrote it. */
  readonly isOurs: boolean;
}

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'timed_out'
  | 'action_required'
  | 'skipped';

export interface NewCheck {
  readonly name: string;
  readonly headSha: CommitId;
  /** What we find it by again; GitHub's own link to a pull request is empty for forks. */
  readonly externalId: string;
  readonly conclusion: CheckConclusion;
  readonly title: string;
  readonly summary: string;
}

export interface CheckFacts {
  readonly id: number;
  readonly name: string;
  readonly externalId: string;
  readonly conclusion: CheckConclusion | null;
}

/** Gone: deleted, renamed away from us, uninstalled, or never visible to us. A reason to end quietly, not a fault. */
export interface NotThere {
  readonly kind: 'gone';
  readonly what: string;
}

export type Found<Value> = { readonly kind: 'found'; readonly value: Value } | NotThere;

/**
 * What we need of GitHub for one repository, as functions. Everything is read anew at each call. Rejects with a
 * `ForgeFault` when GitHub refuses (`forge-forbidden`, `forge-invalid`, `forge-unauthorised`: never) or is not itself
 * (`forge-unavailable`, `forge-rate-limited`: later), after bounded retries of its own. Functions without a `gone`
 * to answer with reject with `forge-gone` (never) instead: a reason to end quietly all the same.
 *
 * `createComment`, `createPull` and `createCheck` are not sent again when an answer was lost, for they would be done
 * twice: they reject with `forge-unavailable` and `outcomeUnknown`. Read (`comments`, `pullsFrom`, `checks`) what is
 * there before trying again.
 *
 * Bodies and summaries longer than GitHub takes are cut; use `fitBody` to decide what survives.
 */
export interface Forge {
  readonly repository: () => Promise<Found<RepositoryFacts>>;
  /**
   * The role a person has right now; `none` for somebody unknown, for bots, and when the repository is gone. A custom
   * role counts as the one it is built on.
   */
  readonly role: (login: string) => Promise<Role>;
  readonly thread: (number: number) => Promise<Found<ThreadFacts>>;
  readonly pull: (number: number) => Promise<Found<PullFacts>>;
  readonly comment: (id: number) => Promise<Found<CommentFacts>>;
  /**
   * Comments of an issue or pull request, oldest first; only those of our own app with `ours`, only those written or
   * changed at `since` (milliseconds; GitHub counts seconds) or later.
   */
  readonly comments: (
    number: number,
    options?: { readonly ours?: boolean; readonly since?: number },
  ) => Promise<readonly CommentFacts[]>;
  readonly createComment: (number: number, body: string) => Promise<CommentFacts>;
  readonly updateComment: (id: number, body: string) => Promise<Found<CommentFacts>>;
  /** Adds a reaction of ours; adding it twice is adding it once. */
  readonly react: (commentId: number, reaction: Reaction) => Promise<Found<true>>;
  /** Takes back reactions of ours. */
  readonly unreact: (commentId: number, reactions: readonly Reaction[]) => Promise<void>;
  /**
   * When GitHub learned of a commit, by its own clock (milliseconds): the earliest check suite made for it.
   * Undefined when it has none. Commit dates prove nothing, anybody can write them.
   */
  readonly arrival: (sha: CommitId) => Promise<number | undefined>;
  readonly createCheck: (check: NewCheck) => Promise<CheckFacts>;
  /** Our own check runs of that name on a commit. */
  readonly checks: (sha: CommitId, name: string) => Promise<readonly CheckFacts[]>;
  /** Open or closed pull requests from this branch of the repository itself. */
  readonly pullsFrom: (
    branch: string,
  ) => Promise<readonly { readonly number: number; readonly url: string }[]>;
  readonly createPull: (pull: {
    readonly branch: string;
    readonly base: string;
    readonly title: string;
    readonly body: string;
  }) => Promise<{ readonly number: number; readonly url: string }>;
  /** The commit a branch stands on. */
  readonly branchHead: (branch: string) => Promise<Found<CommitId>>;
  /**
   * A token for one phase of git, minted now, for this repository alone, with `contents` only; `release` revokes it
   * (as far as GitHub lets us).
   */
  readonly gitToken: (
    access: 'read' | 'write',
  ) => Promise<{ readonly token: string; readonly release: () => Promise<void> }>;
}

/** Opens the repository with this id as the app's installation sees it. */
export type OpenForge = (place: {
  readonly installationId: number;
  readonly repositoryId: number;
}) => Promise<Forge>;
