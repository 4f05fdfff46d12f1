import type { Clock } from './clock.ts';

export type Level = 'read' | 'write' | 'admin';
export type Permissions = Readonly<Record<string, Level>>;
export type Role = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
  readonly createdAt: string;
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly externalUrl: string;
  readonly owner: Account;
  readonly bot: Account;
  readonly clientId: string;
  readonly clientSecret: string;
  /** PEM, PKCS#1, as GitHub hands it out. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  webhookUrl: string | null;
  permissions: Permissions;
  events: readonly string[];
  readonly createdAt: string;
}

export interface Installation {
  readonly id: number;
  readonly app: App;
  readonly account: Account;
  selection: 'all' | 'selected';
  /** Ids; of meaning when `selection` is `selected`. */
  readonly repositories: Set<number>;
  permissions: Permissions;
  suspended: { readonly at: string; readonly by: Account } | null;
  readonly createdAt: string;
  updatedAt: string;
}

export interface InstallationToken {
  readonly token: string;
  readonly installation: Installation;
  readonly permissions: Permissions;
  /** Null: all that the installation covers. */
  readonly repositories: ReadonlySet<number> | null;
  readonly expiresAt: number;
}

export interface Protection {
  /** Null: nobody may push. */
  readonly pushers: readonly string[] | null;
  readonly requiresSignatures?: boolean;
}

export interface Repository {
  readonly id: number;
  readonly owner: Account;
  name: string;
  readonly pastNames: string[];
  readonly isPrivate: boolean;
  /** The bare repository. */
  readonly directory: string;
  readonly defaultBranch: string;
  /** Account id to what was granted there. */
  readonly roles: Map<number, Role>;
  readonly forkOf: Repository | null;
  readonly protections: Map<string, Protection>;
  readonly threads: Map<number, Thread>;
  readonly createdAt: string;
  pushedAt: string;
}

/** An issue, or a pull request seen as one: they share numbers, comments and timeline. */
export interface Thread {
  readonly id: number;
  readonly number: number;
  readonly repository: Repository;
  readonly author: Account;
  readonly viaApp: App | null;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: string | null;
  closed: { readonly at: string; readonly by: Account } | null;
  labels: readonly string[];
  readonly comments: Comment[];
  readonly timeline: TimelineEntry[];
  readonly createdAt: string;
  updatedAt: string;
  readonly pull: Pull | null;
}

export interface Pull {
  readonly id: number;
  /** Null once the fork is gone. */
  headRepository: Repository | null;
  readonly headBranch: string;
  headSha: string;
  baseBranch: string;
  baseSha: string;
  draft: boolean;
  maintainerCanModify: boolean;
  merged: { readonly at: string; readonly by: Account; readonly sha: string } | null;
}

export interface Comment {
  readonly id: number;
  readonly thread: Thread;
  readonly author: Account;
  readonly viaApp: App | null;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  readonly reactions: Reaction[];
  /** Earlier bodies, oldest first. */
  readonly history: string[];
}

export interface Reaction {
  readonly id: number;
  readonly content: string;
  readonly user: Account;
  readonly createdAt: string;
}

export type TimelineEntry =
  | { readonly kind: 'committed'; readonly sha: string }
  | { readonly kind: 'commented'; readonly comment: Comment }
  | {
      readonly kind:
        | 'closed'
        | 'reopened'
        | 'merged'
        | 'head_ref_force_pushed'
        | 'head_ref_deleted'
        | 'ready_for_review';
      readonly id: number;
      readonly actor: Account;
      readonly at: string;
      readonly sha: string | null;
    };

export interface CheckSuite {
  readonly id: number;
  readonly app: App;
  readonly repository: Repository;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly before: string | null;
  readonly runs: CheckRun[];
  readonly createdAt: string;
  updatedAt: string;
}

export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: string;
  readonly message: string;
  readonly start_column?: number;
  readonly end_column?: number;
  readonly title?: string;
  readonly raw_details?: string;
}

interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

/** What a check run says at one moment. */
export interface CheckRunState {
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly externalId: string;
  readonly detailsUrl: string | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
  readonly actions: readonly CheckAction[];
}

export interface CheckRun extends CheckRunState {
  readonly id: number;
  readonly suite: CheckSuite;
  readonly annotations: readonly Annotation[];
  /** Every state so far, with its moment; the last one is the present one. */
  readonly history: readonly (CheckRunState & { readonly at: string })[];
}

/** All that this GitHub knows. Branches, commits and trees are not here: git holds them. */
export interface World {
  readonly clock: Clock;
  readonly origin: string;
  readonly root: string;
  readonly nextId: () => number;
  readonly accounts: Map<string, Account>;
  readonly userTokens: Map<string, Account>;
  readonly members: Map<number, Set<number>>;
  readonly apps: App[];
  readonly manifests: Map<string, App>;
  readonly installations: Map<number, Installation>;
  readonly tokens: Map<string, InstallationToken>;
  readonly repositories: Map<number, Repository>;
  readonly suites: Map<number, CheckSuite>;
  readonly runs: Map<number, CheckRun>;
  /** While set, `refs/pull/N/head` is not moved: what is due waits here. */
  heldPullRefs: (() => Promise<void>)[] | null;
}
