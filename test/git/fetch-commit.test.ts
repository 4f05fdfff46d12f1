import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { fetchCommit } from '../../src/git/fetch-commit.ts';
import { type CommitId, commitId } from '../../src/git/object-id.ts';
import { openObjectStore } from '../../src/git/object-store.ts';
import { createPrivateRepository, type PrivateRepository } from '../../src/git/private-repository.ts';
import { refreshObjectStore } from '../../src/git/refresh-object-store.ts';
import { remoteOf } from '../../src/git/remote.ts';
import { makeRepository } from '../twin/make-repository.ts';
import { serveGit, type Verdict } from '../twin/serve-git.ts';
import { processes } from './processes.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const TOKEN = `ghs_${'t0K3n'.repeat(10)}`;
const PASSWORD = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
const acme = makeRepository(join(root, 'acme.git'), [
  { files: { 'a.md': 'a\n' } },
  { files: { 'b.md': 'b\n' }, branch: 'feature', from: 'refs/heads/main' },
]);
const [main, feature] = acme.commits.map(commitId) as [CommitId, CommitId];

let verdict: Verdict = 'serve';
let onRequest: (() => void) | undefined;
const server = await serveGit({
  root,
  token: TOKEN,
  judge: () => {
    onRequest?.();
    return verdict;
  },
});
afterAll(() => server.close());

const made: PrivateRepository[] = [];
afterEach(async () => {
  verdict = 'serve';
  onRequest = undefined;
  for (const repository of made.splice(0)) await repository.remove();
});
const privateRepository = async (...options: Parameters<typeof createPrivateRepository>) => {
  const repository = await createPrivateRepository(...options);
  made.push(repository);
  return repository;
};
const remote = (token: string = TOKEN, name = 'acme.git') =>
  remoteOf({
    url: server.urlOf(name),
    loopbackHttpOrigin: server.origin,
    ...(token === '' ? {} : { token }),
  });
const gitIn = (gitDirectory: string, ...args: string[]): string =>
  spawnSync('git', ['--git-dir', gitDirectory, ...args], { encoding: 'utf8' }).stdout.trim();

describe('fetchCommit', () => {
  it('fetches exactly the commit and what it needs, and nothing else', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    expect(await fetchCommit(repository, remote(), feature)).toEqual({ kind: 'fetched' });
    expect(gitIn(repository.gitDirectory, 'for-each-ref')).toBe(`${feature} commit\trefs/run/head`);
    expect(gitIn(repository.gitDirectory, 'cat-file', 'blob', `${feature}:b.md`)).toBe('b');
    expect(gitIn(repository.gitDirectory, 'fsck', '--strict', '--no-progress')).toBe('');
    expect(existsSync(join(repository.gitDirectory, 'FETCH_HEAD'))).toBe(false);
  });

  it('borrows from the store and fetches only what is new', async () => {
    const store = await openObjectStore({
      dataDirectory: join(root, 'data'),
      host: '127.0.0.1:1',
      repositoryId: 1,
    });
    await refreshObjectStore(store, remote(), ['refs/heads/main']);
    const repository = await privateRepository(store, { parent: root });
    expect(await fetchCommit(repository, remote(), feature)).toEqual({ kind: 'fetched' });
    const counts = gitIn(repository.gitDirectory, 'count-objects', '-v');
    const own = ['count', 'in-pack'].map(key => Number(new RegExp(`^${key}: (\\d+)`, 'm').exec(counts)?.[1]));
    expect(own.reduce((sum, count) => sum + count)).toBe(3); // commit, tree, blob
    expect(gitIn(repository.gitDirectory, 'rev-list', '--count', 'refs/run/head')).toBe('2');
    expect(gitIn(store.gitDirectory, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('takes a commit the store holds already', async () => {
    const store = await openObjectStore({
      dataDirectory: join(root, 'data'),
      host: '127.0.0.1:1',
      repositoryId: 2,
    });
    await refreshObjectStore(store, remote(), ['refs/heads/*']);
    const repository = await privateRepository(store, { parent: root });
    expect(await fetchCommit(repository, remote(), feature)).toEqual({ kind: 'fetched' });
    expect(gitIn(repository.gitDirectory, 'rev-parse', 'refs/run/head')).toBe(feature);
  });

  it('works on SHA-256 repositories', async () => {
    const wide = makeRepository(join(root, 'wide.git'), [{ files: { 'a.md': 'a\n' } }], {
      objectFormat: 'sha256',
    });
    const repository = await privateRepository(undefined, { parent: root, objectFormat: 'sha256' });
    const outcome = await fetchCommit(repository, remote(TOKEN, 'wide.git'), commitId(wide.commits[0] ?? ''));
    expect(outcome).toEqual({ kind: 'fetched' });
  });

  it('reports an unknown commit and an unknown repository as gone', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    const unknown = commitId('1234567890'.repeat(4));
    expect(await fetchCommit(repository, remote(), unknown)).toEqual({ kind: 'gone', what: 'commit' });
    expect(await fetchCommit(repository, remote(TOKEN, 'none.git'), main)).toEqual({
      kind: 'gone',
      what: 'repository',
    });
  });

  it('refuses what is no whole commit id before git sees it', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    const before = server.requests.length;
    for (const id of [
      'main',
      main.slice(0, 12),
      main.toUpperCase(),
      '--upload-pack=x',
      `${main}:refs/heads/x`,
      '',
    ]) {
      await expect(fetchCommit(repository, remote(), id as CommitId)).rejects.toMatchObject({
        code: 'git-bad-name',
      });
    }
    expect(server.requests.length).toBe(before);
  });

  it('does not take a tree or a tag for a commit', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    const tree = acme.git('rev-parse', `${main}^{tree}`);
    await expect(fetchCommit(repository, remote(), commitId(tree))).rejects.toMatchObject({
      code: 'git-object-unexpected',
    });
  });

  it.each([
    ['a wrong token', 'serve', `ghs_${'w'.repeat(40)}`],
    ['no token', 'serve', ''],
    ['a token that may not', 'forbidden', TOKEN],
  ] as const)('faults with git-auth for %s', async (_, answer, token) => {
    const repository = await privateRepository(undefined, { parent: root });
    verdict = answer;
    await expect(fetchCommit(repository, remote(token), main)).rejects.toMatchObject({
      code: 'git-auth',
      retry: 'never',
    });
  });

  it.each(['unavailable', 'hang-up'] as const)(
    'faults with git-network when the remote is %s',
    async answer => {
      const repository = await privateRepository(undefined, { parent: root });
      verdict = answer;
      await expect(fetchCommit(repository, remote(), main)).rejects.toMatchObject({
        code: 'git-network',
        retry: 'later',
      });
    },
  );

  it('faults with git-network when nobody listens', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    const gone = await serveGit({ root });
    await gone.close();
    const nobody = remoteOf({ url: gone.urlOf('acme.git'), loopbackHttpOrigin: gone.origin });
    await expect(fetchCommit(repository, nobody, main)).rejects.toMatchObject({ code: 'git-network' });
  });

  it('follows no redirect, so that the token stays with its origin', async () => {
    const { createServer } = await import('node:http');
    const elsewhere = createServer((request, response) => {
      response.writeHead(302, { location: `${server.origin}${request.url}` }).end();
    });
    await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as { port: number };
    const origin = `http://127.0.0.1:${port}`;
    const repository = await privateRepository(undefined, { parent: root });
    const before = server.requests.length;
    const moved = remoteOf({ url: `${origin}/acme.git`, loopbackHttpOrigin: origin, token: TOKEN });
    await expect(fetchCommit(repository, moved, main)).rejects.toMatchObject({ code: 'git-redirected' });
    expect(server.requests.length).toBe(before);
    elsewhere.close();
  });

  it('shows the token in no argument list while it works, and leaves it in no file', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    const seen: string[] = [];
    onRequest = () => seen.push(...processes().map(({ commandLine }) => commandLine));
    await fetchCommit(repository, remote(), feature);
    expect(seen.some(line => line.includes(server.urlOf('acme.git')))).toBe(true); // it was looked at while git ran
    expect(seen.join('\n')).not.toContain(TOKEN);
    expect(seen.join('\n')).not.toContain(PASSWORD);
    for (const entry of readdirSync(repository.gitDirectory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'latin1');
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(PASSWORD);
    }
  });

  it('shows the token in no fault', async () => {
    const repository = await privateRepository(undefined, { parent: root });
    const faults: unknown[] = [];
    for (const answer of ['unauthorized', 'forbidden', 'unavailable', 'hang-up'] as const) {
      verdict = answer;
      await fetchCommit(repository, remote(), main).catch(fault => faults.push(fault, fault.cause));
    }
    expect(faults).toHaveLength(8);
    const text = faults.map(fault => JSON.stringify(fault) + String((fault as Error).stack)).join('\n');
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(PASSWORD);
  });
});
