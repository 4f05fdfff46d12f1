import type { OpenForge, RepositoryFacts } from '../forge/forge.ts';
import type { Remote } from '../git/remote.ts';

/** What runs need from outside. Functions and settings, nothing that holds state of a run. */
export interface RunDependencies {
  readonly openForge: OpenForge;
  /** Where git reaches a repository with this token. */
  readonly remoteFor: (repository: RepositoryFacts, token: string) => Remote;
  readonly dataDirectory: string;
  /** Host of the forge's git URLs, with a port where there is one: stores are kept apart by it. */
  readonly gitHost: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Who commits: the app's bot account. */
  readonly committer: () => Promise<{ readonly name: string; readonly email: string }>;
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    facts?: Readonly<Record<string, unknown>>,
  ) => void;
}
