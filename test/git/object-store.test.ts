import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fetchCommit } from '../../src/git/fetch-commit.ts';
import { commitId } from '../../src/git/object-id.ts';
import { openObjectStore } from '../../src/git/object-store.ts';
import { createPrivateRepository } from '../../src/git/private-repository.ts';
import { refreshObjectStore } from '../../src/git/refresh-object-store.ts';
import { remoteOf } from '../../src/git/remote.ts';
import { makeRepository } from '../twin/make-repository.ts';
import { serveGit } from '../twin/serve-git.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const server = await serveGit({ root });
afterAll(() => server.close());
const dataDirectory = join(root, 'data');
const remote = (name: string) => remoteOf({ url: server.urlOf(name), loopbackHttpOrigin: server.origin });
const gitIn = (gitDirectory: string, ...args: string[]): string =>
  spawnSync('git', ['--git-dir', gitDirectory, ...args], { encoding: 'utf8' }).stdout.trim();
const history = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ files: { a: `${index}` } }));
let ids = 0;
const newStore = () => openObjectStore({ dataDirectory, host: 'github.example:8443', repositoryId: ++ids });

describe('openObjectStore', () => {
  it('makes a store git takes for a sound bare repository, and finds it again', async () => {
    const store = await newStore();
    expect(gitIn(store.gitDirectory, 'rev-parse', '--is-bare-repository', '--show-object-format')).toBe(
      'true\nsha1',
    );
    const again = await openObjectStore({ dataDirectory, host: 'github.example:8443', repositoryId: ids });
    expect(again).toEqual(store);
  });

  it('keeps its object format', async () => {
    const options = { dataDirectory, host: 'wide.example', repositoryId: 1 };
    const store = await openObjectStore({ ...options, objectFormat: 'sha256' });
    expect(gitIn(store.gitDirectory, 'rev-parse', '--show-object-format')).toBe('sha256');
    expect((await openObjectStore(options)).objectFormat).toBe('sha256');
  });

  it('makes one whole store when many ask at once', async () => {
    const options = { dataDirectory, host: 'many.example', repositoryId: 7 };
    const stores = await Promise.all(Array.from({ length: 20 }, () => openObjectStore(options)));
    expect(new Set(stores.map(store => store.gitDirectory)).size).toBe(1);
    expect(readdirSync(join(dataDirectory, 'stores', 'many.example'))).toEqual(['7.git']);
  });

  it.each(['../up', '..', 'a/b', '', 'a\nb', 'UPPER', '.hidden'])('refuses the host %j', async host => {
    await expect(openObjectStore({ dataDirectory, host, repositoryId: 1 })).rejects.toThrow(/not a host/);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses the repository id %s', async repositoryId => {
    await expect(openObjectStore({ dataDirectory, host: 'a', repositoryId })).rejects.toThrow(
      /not a repository id/,
    );
  });
});

describe('refreshObjectStore', () => {
  it('brings the whole history of the named refs, and follows them', async () => {
    const forge = makeRepository(join(root, 'follow.git'), [
      ...history(5),
      { branch: 'other', files: { o: 'o' } },
    ]);
    const store = await newStore();
    expect(await refreshObjectStore(store, remote('follow.git'), ['refs/heads/main'])).toEqual({
      kind: 'refreshed',
    });
    expect(gitIn(store.gitDirectory, 'rev-list', '--count', 'refs/heads/main')).toBe('5');
    expect(existsSync(join(store.gitDirectory, 'shallow'))).toBe(false);
    expect(gitIn(store.gitDirectory, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    forge.commit({ files: { b: 'b' } });
    forge.git('branch', '-D', 'other');
    await refreshObjectStore(store, remote('follow.git'), ['refs/heads/*']);
    expect(gitIn(store.gitDirectory, 'rev-parse', 'refs/heads/main')).toBe(forge.git('rev-parse', 'main'));
  });

  it('follows a branch that was rewound, and one that became a folder of branches', async () => {
    const forge = makeRepository(join(root, 'rewound.git'), [
      ...history(3),
      { branch: 'topic', files: { o: 'o' } },
    ]);
    const store = await newStore();
    await refreshObjectStore(store, remote('rewound.git'), ['refs/heads/*']);
    forge.git('update-ref', 'refs/heads/main', 'main~2');
    forge.git('branch', '-D', 'topic');
    forge.git('branch', 'topic/one', 'main');
    expect(await refreshObjectStore(store, remote('rewound.git'), ['refs/heads/*'])).toEqual({
      kind: 'refreshed',
    });
    const refs = gitIn(store.gitDirectory, 'for-each-ref', '--format=%(refname) %(objectname)');
    expect(refs).toBe(forge.git('for-each-ref', '--format=%(refname) %(objectname)'));
  });

  it('keeps what runs borrow while it is refreshed', async () => {
    const forge = makeRepository(join(root, 'busy.git'), history(4));
    const store = await newStore();
    await refreshObjectStore(store, remote('busy.git'), ['refs/heads/*']);
    const work = Array.from({ length: 6 }, async (_, index) => {
      const [head = ''] = forge.commit({
        branch: `pr${index}`,
        from: 'refs/heads/main',
        files: { [`f${index}`]: 'x' },
      });
      const mine = await createPrivateRepository(store, { parent: root });
      const [fetched, refreshed] = await Promise.all([
        fetchCommit(mine, remote('busy.git'), commitId(head)),
        refreshObjectStore(store, remote('busy.git'), ['refs/heads/*']),
      ]);
      expect([fetched.kind, refreshed.kind]).toEqual(['fetched', 'refreshed']);
      expect(gitIn(mine.gitDirectory, 'rev-list', '--count', 'refs/run/head')).toBe('5');
      await mine.remove();
    });
    await Promise.all(work);
  });

  it('gets past locks and half packs that a killed process left', async () => {
    const forge = makeRepository(join(root, 'left.git'), history(2));
    const store = await newStore();
    await refreshObjectStore(store, remote('left.git'), ['refs/heads/main']);
    forge.commit({ files: { b: 'b' } });
    const left = ['refs/heads/main.lock', 'packed-refs.lock', 'objects/pack/tmp_pack_x'].map(name =>
      join(store.gitDirectory, name),
    );
    for (const path of left) {
      writeFileSync(path, '');
      utimesSync(path, 1, 1);
    }
    const young = join(store.gitDirectory, 'objects/pack/tmp_pack_young');
    writeFileSync(young, '');
    expect(await refreshObjectStore(store, remote('left.git'), ['refs/heads/main'])).toEqual({
      kind: 'refreshed',
    });
    expect(left.filter(existsSync)).toEqual([]);
    expect(existsSync(young)).toBe(true);
  });

  it('reports a repository and a ref that are not there', async () => {
    makeRepository(join(root, 'small.git'), history(1));
    const store = await newStore();
    expect(await refreshObjectStore(store, remote('none.git'), ['refs/heads/main'])).toEqual({
      kind: 'gone',
      what: 'repository',
    });
    expect(await refreshObjectStore(store, remote('small.git'), ['refs/heads/none'])).toEqual({
      kind: 'gone',
      what: 'ref',
    });
  });

  it.each(['main', '--upload-pack=x', '+refs/heads/a', 'refs/heads/a:refs/heads/b', 'refs/*/x', '*'])(
    'refuses to follow %j',
    async ref => {
      const store = await newStore();
      await expect(refreshObjectStore(store, remote('small.git'), [ref])).rejects.toMatchObject({
        code: 'git-bad-name',
      });
    },
  );

  it('takes a history with the careless commits of old tools, and refuses a tree that can harm', async () => {
    const forge = makeRepository(join(root, 'old.git'), history(1));
    const literally = (type: string, text: string | Buffer): string =>
      spawnSync('git', ['-C', forge.directory, 'hash-object', '-t', type, '-w', '--literally', '--stdin'], {
        input: text,
      })
        .stdout.toString()
        .trim();
    const blob = Buffer.from(forge.git('rev-parse', 'main:a'), 'hex');
    const tree = (mode: string, name: string): string =>
      literally('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), blob]));
    const commit = (of: string, person: string): string =>
      literally('commit', `tree ${of}\nauthor ${person}\ncommitter ${person}\n\nold\n`);
    const store = await newStore();
    const fetch = async (id: string) => {
      forge.git('update-ref', 'refs/heads/old', id);
      return refreshObjectStore(store, remote('old.git'), ['refs/heads/old']);
    };
    for (const person of [
      'A <a@a>1 +0000',
      'A <a@a> 01 +0000',
      'A a@a 1 +0000',
      'A <a@a> 1 +051800',
      '<a@a> 1 +0000',
    ]) {
      expect(await fetch(commit(tree('100644', `x${person.length}`), person))).toEqual({ kind: 'refreshed' });
    }
    expect(await fetch(commit(tree('0100644', 'padded'), 'A <a@a> 2 +0000'))).toEqual({ kind: 'refreshed' });
    await expect(fetch(commit(tree('100644', '.GIT'), 'A <a@a> 3 +0000'))).rejects.toThrow(/hasDotgit/);
    await expect(fetch(commit(tree('100644', '..'), 'A <a@a> 4 +0000'))).rejects.toThrow(/hasDotdot/);
  });
});

describe('createPrivateRepository', () => {
  it('leaves nothing behind', async () => {
    const parent = join(root, 'runs');
    mkdirSync(parent);
    const repository = await createPrivateRepository(await newStore(), { parent });
    expect(readdirSync(parent)).toHaveLength(1);
    await repository.remove();
    await repository.remove();
    expect(readdirSync(parent)).toEqual([]);
  });
});
