import type { Octokit, RestEndpointMethodTypes } from '@octokit/rest';
import { type Asker, faultOf, goneFault } from './describe-refusal.ts';
import type { Found, NotThere, RepositoryFacts } from './forge.ts';
import type { ForgeClock } from './forge-clock.ts';
import type { InstallationTokens, Place } from './installation-tokens.ts';
import { readRepository } from './read-facts.ts';
import type { Sent } from './refusal.ts';
import { type Reply, sendRequest } from './send-request.ts';

export interface Address {
  readonly owner: string;
  readonly repo: string;
}

export interface Question {
  /** What is looked for, in words: `comment 12`. */
  readonly what: string;
  /** False for what must not be done twice; true when left out. */
  readonly repeatable?: boolean;
}

type Send<Data> = (client: Octokit, at: Address) => Promise<Reply<Data>>;

export interface AskRepository {
  /** Asks about the repository under the name it has now; rejects with a `ForgeFault` where GitHub refuses. */
  readonly ask: <Data>(question: Question, send: Send<Data>) => Promise<Found<Data>>;
  /** The same where there is no answer to give for something gone: rejects with `forge-gone`. */
  readonly mustAsk: <Data>(question: Question, send: Send<Data>) => Promise<Data>;
  /** What GitHub says about the repository right now. */
  readonly facts: () => Promise<Found<RepositoryFacts>>;
  /** Who asks, for messages. */
  readonly asker: () => Asker;
}

type Located = RestEndpointMethodTypes['repos']['get']['response']['data'];

/**
 * Everything goes by the id of the repository. Its name is looked up once and again when an answer says that
 * nothing is there (renamed, transferred): names change hands, ids do not.
 */
export function createAskRepository(deps: {
  readonly place: Place;
  readonly tokens: InstallationTokens;
  readonly clock: ForgeClock;
  readonly asker: Asker;
  readonly gitUrl: string | undefined;
}): AskRepository {
  const { place, tokens, clock, gitUrl } = deps;
  let asker = deps.asker;
  let known: Promise<Found<Located>> | undefined;

  async function signedIn<Data>(
    repeatable: boolean,
    send: (client: Octokit) => Promise<Reply<Data>>,
  ): Promise<Sent<Data>> {
    const attempt = async (): Promise<Sent<Data>> => {
      const minted = await tokens.forCalls(place);
      if (minted.kind !== 'minted') return minted;
      const sent = await sendRequest(() => send(minted.client), { repeatable, clock });
      if (sent.kind === 'unauthorised') tokens.drop(place, minted);
      return sent;
    };
    const first = await attempt();
    // Revoked or expired before its time: once more, with a new one.
    return first.kind === 'unauthorised' ? attempt() : first;
  }

  async function lookUp(): Promise<Found<Located>> {
    const what = `repository ${place.repositoryId}`;
    const sent = await signedIn(true, client =>
      client.request('GET /repositories/{repository_id}', { repository_id: place.repositoryId }),
    );
    if (sent.kind !== 'answered') return goneOrThrow(sent, what);
    const data = sent.value as Located;
    asker = {
      ...asker,
      owner: { login: data.owner.login, isOrganisation: data.owner.type === 'Organization' },
    };
    return { kind: 'found', value: data };
  }

  function locate(afresh = false): Promise<Found<Located>> {
    if (!afresh && known !== undefined) return known;
    const looking = lookUp();
    known = looking;
    const isNoUse = (): void => {
      if (known === looking) known = undefined;
    };
    looking.then(found => found.kind === 'gone' && isNoUse(), isNoUse);
    return looking;
  }

  function goneOrThrow<Data>(sent: Exclude<Sent<Data>, { kind: 'answered' }>, what: string): NotThere {
    if (sent.kind === 'missing' || sent.kind === 'moved' || sent.kind === 'suspended') {
      return { kind: 'gone', what };
    }
    throw faultOf(sent, asker);
  }

  async function ask<Data>({ what, repeatable = true }: Question, send: Send<Data>): Promise<Found<Data>> {
    const located = await locate();
    if (located.kind === 'gone') return located;
    const at = addressOf(located.value);
    const sent = await signedIn(repeatable, client => send(client, at));
    if (sent.kind === 'answered') return { kind: 'found', value: sent.value };
    if (sent.kind !== 'missing' && sent.kind !== 'moved') return goneOrThrow(sent, what);
    const again = await locate(true);
    if (again.kind === 'gone') return again;
    const now = addressOf(again.value);
    // Still the same place: it is the thing in it that is gone, deleted or transferred.
    if (now.owner === at.owner && now.repo === at.repo) return { kind: 'gone', what };
    const second = await signedIn(repeatable, client => send(client, now));
    return second.kind === 'answered' ? { kind: 'found', value: second.value } : goneOrThrow(second, what);
  }

  return {
    ask,
    mustAsk: async (question, send) => {
      const found = await ask(question, send);
      if (found.kind === 'found') return found.value;
      throw goneFault(
        `GitHub has no ${found.what} for us: deleted, uninstalled, suspended or never visible.`,
      );
    },
    facts: async () => {
      const found = await locate(true);
      return found.kind === 'gone' ? found : { kind: 'found', value: readRepository(found.value, gitUrl) };
    },
    asker: () => asker,
  };
}

function addressOf({ owner, name }: Located): Address {
  return { owner: owner.login, repo: name };
}
