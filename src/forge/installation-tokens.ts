import type { Octokit } from '@octokit/rest';
import type { ForgeClock } from './forge-clock.ts';
import type { GithubClients } from './github-clients.ts';
import type { Refusal } from './refusal.ts';
import type { Secrets } from './secrets.ts';
import { sendRequest } from './send-request.ts';

/** GitHub's tokens live an hour. One with less than this left is not begun with. */
const REFRESH_EARLY_MS = 5 * 60_000;

/** All that the calls of the port need; git has a token of its own. */
const API_PERMISSIONS = {
  metadata: 'read',
  contents: 'read',
  checks: 'write',
  issues: 'write',
  pull_requests: 'write',
} as const;

type Permissions = Partial<
  Record<'metadata' | 'contents' | 'checks' | 'issues' | 'pull_requests', 'read' | 'write'>
>;

export interface Place {
  readonly installationId: number;
  readonly repositoryId: number;
}

export interface Minted {
  readonly kind: 'minted';
  readonly token: string;
  readonly client: Octokit;
  /** Milliseconds since 1970, by GitHub's clock. */
  readonly expiresAt: number;
}

export interface InstallationTokens {
  /** For calls on one repository, kept until it is old. Calls at the same time share one. */
  readonly forCalls: (place: Place) => Promise<Minted | Refusal>;
  /** A new one for one phase of git: this repository, its contents, nothing else. */
  readonly forGit: (place: Place, access: 'read' | 'write') => Promise<Minted | Refusal>;
  /** A new one that lists what an installation covers. */
  readonly forListing: (installationId: number) => Promise<Minted | Refusal>;
  /** GitHub did not accept it. */
  readonly drop: (place: Place, minted: Minted) => void;
  /** Takes it back, as far as GitHub lets us: one that has expired cannot be. */
  readonly revoke: (minted: Minted) => Promise<void>;
  /** Everything of an installation that was changed, suspended or removed. */
  readonly forget: (installationId: number) => void;
}

export function createInstallationTokens(deps: {
  readonly clients: GithubClients;
  readonly clock: ForgeClock;
  readonly secrets: Secrets;
}): InstallationTokens {
  const { clients, clock, secrets } = deps;
  const kept = new Map<string, Kept>();

  async function mint(installationId: number, permissions: Permissions, repositoryId?: number) {
    const sent = await sendRequest(
      () =>
        clients.asApp.rest.apps.createInstallationAccessToken({
          installation_id: installationId,
          permissions,
          ...(repositoryId === undefined ? {} : { repository_ids: [repositoryId] }),
        }),
      { repeatable: true, clock }, // an answer that was lost leaves a token nobody knows
    );
    if (sent.kind !== 'answered') return readMintRefusal(sent);
    const { token, expires_at: expiry } = sent.value;
    secrets.add(token);
    const expiresAt = Date.parse(expiry) || 0;
    return { kind: 'minted', token, client: clients.withToken(token), expiresAt } as const;
  }

  function forget(key: string): void {
    void kept.get(key)?.minted.then(
      done => done.kind === 'minted' && secrets.forget(done.token),
      () => {},
    );
    kept.delete(key);
  }

  function keep(place: Place): Promise<Minted | Refusal> {
    for (const [key, { staleAt }] of kept) if (staleAt <= clock.now()) forget(key);
    const key = keyOf(place);
    const minted = mint(place.installationId, API_PERMISSIONS, place.repositoryId);
    const entry: Kept = { installationId: place.installationId, minted, staleAt: Number.POSITIVE_INFINITY };
    kept.set(key, entry);
    const settle = (done?: Minted | Refusal): void => {
      if (done?.kind === 'minted') entry.staleAt = done.expiresAt - REFRESH_EARLY_MS;
      else if (kept.get(key) === entry) kept.delete(key); // a refusal is asked about again
    };
    minted.then(settle, () => settle());
    return minted;
  }

  return {
    forCalls: place => {
      const entry = kept.get(keyOf(place));
      return entry !== undefined && entry.staleAt > clock.now() ? entry.minted : keep(place);
    },
    forGit: (place, access) => mint(place.installationId, { contents: access }, place.repositoryId),
    forListing: installationId => mint(installationId, { metadata: 'read' }),
    drop: (place, minted) => {
      const key = keyOf(place);
      const entry = kept.get(key);
      void entry?.minted.then(present => {
        if (present === minted && kept.get(key) === entry) forget(key);
      });
    },
    revoke: async minted => {
      try {
        await minted.client.rest.apps.revokeInstallationAccessToken();
      } catch {
        // Expired, revoked already, or GitHub is not well: within the hour it ends by itself.
      } finally {
        secrets.forget(minted.token);
      }
    },
    forget: installationId => {
      for (const [key, entry] of kept) if (entry.installationId === installationId) forget(key);
    },
  };
}

interface Kept {
  readonly installationId: number;
  readonly minted: Promise<Minted | Refusal>;
  /** Milliseconds since 1970. */
  staleAt: number;
}

function keyOf({ installationId, repositoryId }: Place): string {
  return `${installationId}/${repositoryId}`;
}

/** 422 has two meanings here: the repository is not ours, or the owner did not grant what we ask for. */
function readMintRefusal(refusal: Refusal): Refusal {
  if (refusal.kind !== 'invalid') return refusal;
  if (/not accessible to the parent installation/i.test(refusal.words))
    return { ...refusal, kind: 'missing' };
  if (!/permissions requested are not granted/i.test(refusal.words)) return refusal;
  const asked = Object.entries(API_PERMISSIONS).map(([name, level]) => `${name}=${level}`);
  return { ...refusal, kind: 'forbidden', accepted: asked.join(', ') };
}
