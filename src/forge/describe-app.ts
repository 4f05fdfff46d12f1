import { type Asker, faultOf } from './describe-refusal.ts';
import { everyPage, PAGE_SIZE } from './every-page.ts';
import type { Found } from './forge.ts';
import type { ForgeClock } from './forge-clock.ts';
import type { GithubClients } from './github-clients.ts';
import type { InstallationTokens } from './installation-tokens.ts';
import type { Refusal, Sent } from './refusal.ts';
import { type Reply, sendRequest } from './send-request.ts';

export interface AppIdentity {
  readonly id: number;
  readonly slug: string;
  /** `slug[bot]`, the author of everything we write. */
  readonly botLogin: string;
  /** Of the account of the bot; its commits carry `<id>+<slug>[bot]@users.noreply.github.com`. */
  readonly botId: number;
}

export interface InstallationFacts {
  readonly id: number;
  readonly account: string;
  readonly isSuspended: boolean;
}

export interface CoveredRepository {
  readonly id: number;
  readonly fullName: string;
  readonly isArchived: boolean;
}

/** The app as GitHub knows it. Rejects with a `ForgeFault` as the port does. */
export interface OurApp {
  /** Asked once; a failure is not kept. */
  readonly slug: () => Promise<string>;
  readonly botLogin: () => Promise<string>;
  readonly botId: () => Promise<number>;
  readonly identity: () => Promise<AppIdentity>;
  readonly installations: () => Promise<readonly InstallationFacts[]>;
  /** What an installation covers; gone when it was removed or suspended. */
  readonly repositories: (installationId: number) => Promise<Found<readonly CoveredRepository[]>>;
}

export function describeApp(deps: {
  readonly appId: number;
  readonly clients: GithubClients;
  readonly tokens: InstallationTokens;
  readonly clock: ForgeClock;
  readonly asker: Asker;
}): OurApp {
  const { appId, clients, tokens, clock, asker } = deps;

  async function ask<Data>(send: () => Promise<Reply<Data>>): Promise<Data> {
    const sent: Sent<Data> = await sendRequest(send, { repeatable: true, clock });
    if (sent.kind === 'answered') return sent.value;
    throw faultOf(sent, asker);
  }

  const slug = once(async () => {
    const app = await ask(() => clients.asApp.rest.apps.getAuthenticated());
    return app?.slug ?? '';
  });
  const botLogin = async (): Promise<string> => `${await slug()}[bot]`;
  const botId = once(async () => {
    const username = await botLogin();
    const user = await ask(() => clients.anonymous.rest.users.getByUsername({ username }));
    return user.id;
  });

  return {
    slug,
    botLogin,
    botId,
    identity: async () => ({
      id: appId,
      slug: await slug(),
      botLogin: await botLogin(),
      botId: await botId(),
    }),
    installations: async () => {
      const all = await everyPage(page =>
        ask(() => clients.asApp.rest.apps.listInstallations({ per_page: PAGE_SIZE, page })),
      );
      return all.map(({ id, account, suspended_at: suspendedAt }) => ({
        id,
        account: accountName(account),
        isSuspended: suspendedAt !== null && suspendedAt !== undefined,
      }));
    },
    repositories: async installationId => {
      const minted = await tokens.forListing(installationId);
      if (minted.kind !== 'minted') return goneOrThrow(minted, installationId, asker);
      try {
        const all = await everyPage(async page => {
          const list = minted.client.rest.apps.listReposAccessibleToInstallation;
          return (await ask(() => list({ per_page: PAGE_SIZE, page }))).repositories;
        });
        const value = all.map(each => ({
          id: each.id,
          fullName: each.full_name,
          isArchived: each.archived ?? false,
        }));
        return { kind: 'found', value };
      } finally {
        await tokens.revoke(minted);
      }
    },
  };
}

function goneOrThrow(refusal: Refusal, installationId: number, asker: Asker) {
  if (refusal.kind === 'missing' || refusal.kind === 'suspended') {
    return { kind: 'gone', what: `installation ${installationId}` } as const;
  }
  throw faultOf(refusal, { ...asker, installationId });
}

/** A user or an organisation has a login, an enterprise a slug. */
function accountName(account: { readonly login?: string; readonly slug?: string } | null): string {
  return account?.login ?? account?.slug ?? '';
}

function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined;
  return () => {
    answer ??= ask().catch(error => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
