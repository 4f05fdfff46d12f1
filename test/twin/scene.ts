import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { type GitResult, tryGit } from './git/run-git.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTwin, type Twin, type TwinOptions } from './start-twin.ts';
import type { Installation } from './world/world.ts';

export interface Scene {
  readonly twin: Twin;
  readonly receiver: Receiver;
  readonly installation: Installation;
  /** As the app itself, and as its installation on `acme/docs`. */
  readonly asApp: Octokit;
  readonly asInstallation: Octokit;
  readonly repo: { readonly owner: 'acme'; readonly repo: 'docs' };
  /** A token minted right now, of all that is granted or of less. */
  readonly token: (narrow?: {
    readonly permissions?: Record<string, string>;
    readonly repositories?: string[];
    readonly repository_ids?: number[];
  }) => Promise<string>;
  /** Plain `fetch` with a token, for what a client library would paper over. */
  readonly call: (token: string | null, path: string, init?: RequestInit) => Promise<Response>;
  readonly folder: () => string;
  readonly clone: (repo: string, token: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** A repository `acme/docs` of an organisation, `mara` who may write and `rob` who may not, and our app installed. */
export async function openScene(options: TwinOptions = {}): Promise<Scene> {
  const receiver = await startReceiver('a secret of the hook');
  const app = { webhookUrl: receiver.url, webhookSecret: 'a secret of the hook', ...options.app };
  const twin = await startTwin({ ...options, app });
  twin.createUser('mara');
  twin.createUser('rob');
  twin.createOrganisation('acme');
  await twin.createRepository({ owner: 'acme', name: 'docs', files: { 'README.md': 'Hello\n' } });
  twin.setRole('acme/docs', 'mara', 'write');
  const installation = twin.installApp('acme/docs');
  const auth = { appId: twin.app.id, privateKey: twin.app.privateKey };
  const base = { authStrategy: createAppAuth, baseUrl: twin.url, log: QUIET };
  const asApp = new Octokit({ ...base, auth });
  const folders: string[] = [];
  const folder = (): string => {
    folders.push(mkdtempSync(join(tmpdir(), 'twin-test-')));
    return folders.at(-1) ?? '';
  };
  return {
    twin,
    receiver,
    installation,
    asApp,
    asInstallation: new Octokit({ ...base, auth: { ...auth, installationId: installation.id } }),
    repo: { owner: 'acme', repo: 'docs' },
    token: async narrow => {
      const answer = await asApp.rest.apps.createInstallationAccessToken({
        installation_id: installation.id,
        ...narrow,
      });
      return answer.data.token;
    },
    call: (token, path, init = {}) =>
      fetch(`${twin.url}${path}`, {
        ...init,
        headers: {
          'user-agent': 'test',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...init.headers,
        },
      }),
    folder,
    clone: async (repo, token) => {
      const directory = folder();
      await runGit(directory, ['clone', '--quiet', withToken(twin.gitUrl(repo), token), '.']);
      return directory;
    },
    close: async () => {
      await twin.close();
      await receiver.close();
      for (const each of folders) rmSync(each, { recursive: true, force: true });
    },
  };
}

export function withToken(url: string, token: string): string {
  return url.replace('://', `://x-access-token:${token}@`);
}

/** Fails unless git ends well. */
export async function runGit(directory: string, args: readonly string[]): Promise<string> {
  const result = await tryGit(directory, args);
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return result.stdout.toString('utf8').trim();
}

/** Pushes one new commit with these files, and gives what git said. */
export async function pushFiles(
  directory: string,
  branch: string,
  files: Readonly<Record<string, string>>,
): Promise<GitResult> {
  const { mkdir, writeFile } = await import('node:fs/promises');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  await runGit(directory, ['add', '--all']);
  await runGit(directory, ['commit', '--quiet', '--message', `Change ${Object.keys(files).join(', ')}`]);
  return tryGit(directory, ['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`]);
}

/** For clients that are meant to be refused: octokit warns of every refusal. */
export const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
