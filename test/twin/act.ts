import { createAccount, createUserToken } from './actions/accounts.ts';
import {
  type AppInput,
  installApp,
  makeApp,
  registerApp,
  suspendInstallation,
  uninstallApp,
  unsuspendInstallation,
} from './actions/apps.ts';
import { clickButton, rerequestRun, rerequestSuite } from './actions/checks.ts';
import { createComment, deleteComment, editComment, react } from './actions/comments.ts';
import { type MergeGroup, mergePull, queuePull } from './actions/merge.ts';
import { openPull } from './actions/open-pull.ts';
import { deleteBranch, pushCommit, rewindBranch } from './actions/push.ts';
import { reopenThread } from './actions/reopen-thread.ts';
import {
  createRepository,
  deleteRepository,
  forkRepository,
  renameRepository,
} from './actions/repositories.ts';
import { closeThread, editThread, markReady, openIssue, type ThreadEdit } from './actions/threads.ts';
import type { Core } from './core.ts';
import type { TwinFile } from './git/write-commit.ts';
import { findAccount, findRepository, must } from './world/look-up.ts';
import type {
  Account,
  App,
  CheckRun,
  CheckSuite,
  Comment,
  Installation,
  Protection,
  Repository,
  Role,
  Thread,
} from './world/world.ts';

interface Pushed {
  readonly repo: string;
  readonly branch: string;
  readonly files: Readonly<Record<string, TwinFile>>;
  readonly author: string;
  readonly message?: string;
  /** Where a new branch starts; the default branch when left out. */
  readonly from?: string;
}

interface Opened {
  readonly repo: string;
  readonly author: string;
  readonly title?: string;
  readonly body?: string;
}

/** What people do on GitHub. Repositories are named `owner/name`, people by their login. */
export interface TwinActions {
  readonly createUser: (login: string, options?: { readonly type?: 'User' | 'Bot' }) => Account;
  readonly createOrganisation: (login: string, options?: { readonly members?: readonly string[] }) => Account;
  /** For git and REST in the name of a person. */
  readonly tokenOf: (login: string) => string;
  readonly createRepository: (input: {
    readonly owner: string;
    readonly name: string;
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    /** A repository on disk; its branches and tags are taken over. */
    readonly from?: string;
    readonly private?: boolean;
  }) => Promise<Repository>;
  readonly fork: (repo: string, owner: string) => Promise<Repository>;
  readonly rename: (repo: string, name: string) => void;
  readonly deleteRepository: (repo: string) => void;
  readonly setRole: (repo: string, login: string, role: Role) => void;
  readonly protect: (repo: string, branch: string, protection?: Partial<Protection>) => void;
  readonly createApp: (input: Omit<AppInput, 'owner'> & { readonly owner: string }) => App;
  /** Hands a manifest in, as the form in the browser does; gives the code for its conversion. */
  readonly submitManifest: (input: Omit<AppInput, 'owner'> & { readonly owner: string }) => string;
  /** On `owner/name`, or on all that an owner has. */
  readonly installApp: (on: string, app?: App) => Installation;
  readonly suspend: (installation: Installation) => void;
  readonly unsuspend: (installation: Installation) => void;
  readonly uninstall: (installation: Installation) => void;
  readonly openIssue: (input: Opened) => Promise<Thread>;
  readonly openPullRequest: (
    input: Opened & {
      /** A branch, or `owner:branch` of a fork. */
      readonly head: string;
      readonly base?: string;
      readonly draft?: boolean;
      readonly maintainerCanModify?: boolean;
    },
  ) => Promise<Thread>;
  readonly editThread: (thread: Thread, edit: ThreadEdit, by: string) => Promise<void>;
  readonly closeThread: (thread: Thread, by: string) => Promise<void>;
  readonly reopenThread: (thread: Thread, by: string) => Promise<void>;
  readonly markReady: (thread: Thread, by: string) => Promise<void>;
  readonly merge: (thread: Thread, by: string) => Promise<string>;
  readonly mergeGroup: (thread: Thread, by: string) => Promise<MergeGroup>;
  readonly comment: (input: {
    readonly repo: string;
    readonly number: number;
    readonly author: string;
    readonly body: string;
  }) => Comment;
  /** `by` is who edits; the author stays. */
  readonly editComment: (comment: Comment, body: string, by: string) => Comment;
  readonly deleteComment: (comment: Comment, by: string) => void;
  readonly react: (comment: Comment, by: string, content: string) => void;
  readonly push: (input: Pushed) => Promise<string>;
  /** The branch then holds one new commit on top of `onto`. */
  readonly forcePush: (input: Pushed & { readonly onto: string }) => Promise<string>;
  readonly rewind: (repo: string, branch: string, to: string, by: string) => Promise<string>;
  readonly deleteBranch: (repo: string, branch: string, by: string) => Promise<void>;
  readonly clickButton: (run: CheckRun, identifier: string, by: string) => void;
  readonly rerequest: (check: CheckRun | CheckSuite, by: string) => Promise<void>;
}

export function createActions(core: Core, defaultApp: () => App): TwinActions {
  const { world } = core;
  const who = (login: string): Account => must(findAccount(world, login), `account ${login}`);
  const where = (repo: string): Repository => must(findRepository(world, repo), `repository ${repo}`);
  const push = (input: Pushed & { readonly onto?: string }): Promise<string> => {
    const { repo, author, message = 'Change', ...rest } = input;
    return pushCommit(core, { ...rest, repository: where(repo), author: who(author), message });
  };
  return {
    createUser: (login, { type = 'User' } = {}) => createAccount(core, login, type),
    createOrganisation: (login, { members = [] } = {}) => {
      const organisation = createAccount(core, login, 'Organization');
      world.members.set(organisation.id, new Set(members.map(each => who(each).id)));
      return organisation;
    },
    tokenOf: login => createUserToken(core, login),
    createRepository: ({ owner, private: isPrivate = false, ...rest }) =>
      createRepository(core, { ...rest, owner: who(owner), isPrivate }),
    fork: (repo, owner) => forkRepository(core, where(repo), who(owner)),
    rename: (repo, name) => renameRepository(core, where(repo), name),
    deleteRepository: repo => deleteRepository(core, where(repo)),
    setRole: (repo, login, role) => void where(repo).roles.set(who(login).id, role),
    protect: (repo, branch, protection = {}) =>
      void where(repo).protections.set(branch, { pushers: null, ...protection }),
    createApp: ({ owner, ...rest }) => registerApp(core, makeApp(core, { ...rest, owner: who(owner) })),
    submitManifest: ({ owner, ...rest }) => {
      const code = `code-${world.nextId()}`;
      world.manifests.set(code, makeApp(core, { ...rest, owner: who(owner) }));
      return code;
    },
    installApp: (on, app = defaultApp()) => installApp(core, app, on.includes('/') ? where(on) : who(on)),
    suspend: installation => suspendInstallation(core, installation),
    unsuspend: installation => unsuspendInstallation(core, installation),
    uninstall: installation => uninstallApp(core, installation),
    openIssue: ({ repo, author, title = 'An issue', body = null }) =>
      openIssue(core, { repository: where(repo), author: who(author), title, body }),
    openPullRequest: ({ repo, author, title = 'A change', body = null, head, base = 'main', ...rest }) => {
      const repository = where(repo);
      const [owner, branch] = head.includes(':') ? head.split(':') : [repository.owner.login, head];
      const fork = [...world.repositories.values()].find(
        each => each.forkOf === repository && each.owner.login === owner,
      );
      const headRepository = owner === repository.owner.login ? repository : must(fork, `fork of ${owner}`);
      const model = {
        repository,
        author: who(author),
        title,
        body,
        headRepository,
        head: branch ?? '',
        base,
      };
      return openPull(core, { ...model, ...rest });
    },
    editThread: (thread, edit, by) => editThread(core, thread, edit, who(by)),
    closeThread: (thread, by) => closeThread(core, thread, who(by)),
    reopenThread: (thread, by) => reopenThread(core, thread, who(by)),
    markReady: (thread, by) => markReady(core, thread, who(by)),
    merge: (thread, by) => mergePull(core, thread, who(by)),
    mergeGroup: (thread, by) => queuePull(core, thread, who(by)),
    comment: ({ repo, number, author, body }) =>
      createComment(
        core,
        must(where(repo).threads.get(number), `#${number} in ${repo}`),
        who(author),
        body,
        null,
      ),
    editComment: (comment, body, by) => editComment(core, comment, who(by), body),
    deleteComment: (comment, by) => deleteComment(core, comment, who(by)),
    react: (comment, by, content) => void react(core, comment, who(by), content),
    push,
    forcePush: push,
    rewind: (repo, branch, to, by) => rewindBranch(core, where(repo), branch, to, who(by)),
    deleteBranch: (repo, branch, by) => deleteBranch(core, where(repo), branch, who(by)),
    clickButton: (run, identifier, by) => clickButton(core, run, identifier, who(by)),
    rerequest: async (check, by) => {
      if ('runs' in check) await rerequestSuite(core, check, who(by));
      else rerequestRun(core, check, who(by));
    },
  };
}
