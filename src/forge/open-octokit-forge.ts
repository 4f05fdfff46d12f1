import { createAskRepository } from './ask-repository.ts';
import { checkCalls } from './check-calls.ts';
import { describeApp, type OurApp } from './describe-app.ts';
import { type Asker, faultOf, goneFault } from './describe-refusal.ts';
import type { Forge, OpenForge } from './forge.ts';
import { type ForgeClock, systemClock } from './forge-clock.ts';
import { createGithubClients, type ForgeLog } from './github-clients.ts';
import { createTurns } from './in-turn.ts';
import { createInstallationTokens, type InstallationTokens, type Place } from './installation-tokens.ts';
import { pullCalls } from './pull-calls.ts';
import { reactionCalls } from './reaction-calls.ts';
import type { OurAccount } from './read-facts.ts';
import { repositoryCalls } from './repository-calls.ts';
import { createSecrets } from './secrets.ts';
import { threadCalls } from './thread-calls.ts';

export interface OctokitForgeOptions {
  readonly appId: number;
  /** PEM, PKCS#1 or PKCS#8. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://host/api/v3` of a GitHub Enterprise Server. */
  readonly apiUrl: string;
  /** Where git finds `owner/name.git`; GitHub says it itself when left out. */
  readonly gitUrl?: string;
  /** GitHub turns away who does not say who they are. */
  readonly userAgent: string;
  readonly log?: ForgeLog;
  /** For proxies; the platform's own when left out. */
  readonly fetch?: typeof fetch;
  readonly clock?: Partial<ForgeClock>;
}

export interface OctokitForge {
  readonly openForge: OpenForge;
  /** Forgets what it holds for an installation that was removed, suspended or granted other things. */
  readonly forgetTokens: (installationId: number) => void;
  readonly app: OurApp;
}

/**
 * The forge port over GitHub's REST API, for one app and all its installations. Opening costs nothing; GitHub is
 * first asked when a function is called. A forge is meant for one piece of work: it remembers the repository's name.
 *
 * @example
 * const { openForge, app } = createOctokitForge({
 *   appId: 12, privateKey, apiUrl: 'https://api.github.com', userAgent: 'skillkeeper/0.1',
 * });
 * const forge = await openForge({ installationId: 34, repositoryId: 56 });
 * const pull = await forge.pull(7);
 */
export function createOctokitForge(options: OctokitForgeOptions): OctokitForge {
  const { appId, privateKey, apiUrl, gitUrl, userAgent, log } = options;
  const clock: ForgeClock = { ...systemClock, ...options.clock };
  const secrets = createSecrets([privateKey]);
  const { redact } = secrets;
  const fetch = options.fetch ?? globalThis.fetch;
  const clients = createGithubClients({ appId, privateKey, apiUrl, userAgent, fetch, log, redact });
  const tokens = createInstallationTokens({ clients, clock, secrets });
  const base: Asker = { redact, webUrl: webUrlOf(apiUrl) };
  const app = describeApp({ appId, clients, tokens, clock, asker: base });
  const us = async (): Promise<OurAccount> => ({ appId, botLogin: await app.botLogin() });
  const turns = createTurns();

  return {
    app,
    forgetTokens: tokens.forget,
    openForge: async (place): Promise<Forge> => {
      const asker = { ...base, installationId: place.installationId };
      const repository = createAskRepository({ place, tokens, clock, asker, gitUrl });
      const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => turns(place.installationId, work);
      return {
        ...repositoryCalls(repository),
        ...threadCalls(repository, us, inTurn),
        ...reactionCalls(repository, us),
        ...checkCalls(repository, appId, inTurn),
        ...pullCalls(repository, place.repositoryId, inTurn),
        gitToken: access => mintGitToken(tokens, place, access, repository.asker()),
      };
    },
  };
}

async function mintGitToken(
  tokens: InstallationTokens,
  place: Place,
  access: 'read' | 'write',
  asker: Asker,
): Promise<{ readonly token: string; readonly release: () => Promise<void> }> {
  const minted = await tokens.forGit(place, access);
  if (minted.kind !== 'minted') {
    if (minted.kind !== 'suspended' && minted.kind !== 'missing') throw faultOf(minted, asker);
    throw goneFault(`Installation ${place.installationId} does not reach repository ${place.repositoryId}.`);
  }
  return { token: minted.token, release: () => tokens.revoke(minted) };
}

/** The pages people open: `api.github.com` is `github.com`, a server of one's own has both on one host. */
function webUrlOf(apiUrl: string): string {
  const { protocol, host, hostname } = new URL(apiUrl);
  return `${protocol}//${hostname.startsWith('api.') ? host.slice('api.'.length) : host}`;
}
