import { readFileSync } from 'node:fs';
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkResponse } from './openapi/check-response.ts';
import { loadContract } from './openapi/contract.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

it('keeps the extract small and tells where it comes from', () => {
  const text = readFileSync(new URL('./openapi/fixtures/github.json', import.meta.url), 'utf8');
  expect(text.length).toBeLessThan(400_000);
  expect(JSON.parse(text).source).toEqual({ openapi: '23.0.2', webhooks: '12.1.0' });
});

it('holds its own answers against the schemas too', () => {
  const contract = loadContract();
  const operation = contract.operation('GET /repos/{owner}/{repo}/git/ref/{ref}');
  if (operation === undefined) throw new Error('not extracted');
  const check = (status: number, body: unknown) => checkResponse(contract, operation, status, body);
  const url = 'https://api.github.com/x';
  const right = {
    ref: 'refs/heads/x',
    node_id: 'n',
    url,
    object: { type: 'commit', sha: 'a'.repeat(40), url },
  };
  expect(check(200, right)).toBeNull();
  expect(check(200, { ...right, object: null })).toContain('/object must be object');
  expect(check(202, right)).toBe('the description knows no answer 202 here');
  expect(check(404, { message: 'Not Found' })).toBeNull();
});

describe('a repository', () => {
  it('gives itself by name and by id, its branches, refs and commits out of git', async () => {
    const { asInstallation, repo, twin } = scene;
    const sha = await twin.push({
      repo: 'acme/docs',
      branch: 'feature/one',
      author: 'mara',
      files: { 'a.md': 'a' },
      message: 'Add a',
    });
    const { data } = await asInstallation.rest.repos.get(repo);
    expect(data).toMatchObject({ full_name: 'acme/docs', default_branch: 'main', private: false });
    const { data: byId } = await asInstallation.request('GET /repositories/{id}', { id: data.id });
    expect(byId.full_name).toBe('acme/docs');
    const { data: branch } = await asInstallation.rest.repos.getBranch({ ...repo, branch: 'feature/one' });
    expect([branch.commit.sha, branch.protected]).toEqual([sha, false]);
    const { data: ref } = await asInstallation.rest.git.getRef({ ...repo, ref: 'heads/feature/one' });
    expect([ref.ref, ref.object.sha]).toEqual(['refs/heads/feature/one', sha]);
    const { data: refs } = await asInstallation.rest.git.listMatchingRefs({ ...repo, ref: 'heads/feature' });
    expect(refs.map(each => each.ref)).toEqual(['refs/heads/feature/one']);
    for (const name of ['feature/one', 'heads/feature/one', sha, sha.slice(0, 7)]) {
      const { data: commit } = await asInstallation.rest.repos.getCommit({ ...repo, ref: name });
      expect([commit.sha, commit.commit.message, commit.author?.login]).toEqual([sha, 'Add a', 'mara']);
    }
    await expect(asInstallation.rest.git.getRef({ ...repo, ref: 'heads/none' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(asInstallation.rest.repos.getBranch({ ...repo, branch: 'none' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(asInstallation.rest.repos.getCommit({ ...repo, ref: 'none' })).rejects.toMatchObject({
      status: 422,
    });
  });

  it('gives contents of every kind', async () => {
    const { asInstallation, repo, twin } = scene;
    const text = `Grüße\n${'x'.repeat(100)}\n`;
    const files = {
      '.github/skillkeeper.yml': text,
      'link.md': { symlink: 'README.md' },
      'big.md': 'b'.repeat(1_048_577),
    };
    await twin.push({ repo: 'acme/docs', branch: 'kinds', author: 'mara', files });
    const get = async (path: string, ref = 'kinds') =>
      (await asInstallation.rest.repos.getContent({ ...repo, path, ref })).data;
    const file = await get('.github/skillkeeper.yml');
    if (!('content' in file)) throw new Error('no file');
    expect(Buffer.from(file.content, 'base64').toString('utf8')).toBe(text);
    expect(await get('link.md')).toMatchObject({ type: 'symlink', target: 'README.md' });
    expect(await get('big.md')).toMatchObject({
      type: 'file',
      encoding: 'none',
      content: '',
      size: 1_048_577,
    });
    expect(await get('')).toMatchObject([
      { name: '.github', type: 'dir' },
      { name: 'README.md', type: 'file' },
      {},
      {},
    ]);
    expect(await get('.github')).toMatchObject([{ path: '.github/skillkeeper.yml' }]);
    await expect(get('none.md')).rejects.toMatchObject({ status: 404 });
    await expect(get('README.md', 'none')).rejects.toMatchObject({ status: 404 });
  });

  it('can be taken over from disk', async () => {
    const { twin } = scene;
    const from = await scene.clone('acme/docs', await scene.token());
    await twin.createRepository({ owner: 'mara', name: 'copy', from });
    expect(await twin.head('mara/copy', 'main')).toBe(await twin.head('acme/docs', 'main'));
  });
});

describe('issues and comments', () => {
  it('are opened, listed, changed and closed', async () => {
    const { asInstallation, repo } = scene;
    const { data } = await asInstallation.rest.issues.create({
      ...repo,
      title: 'Sweep',
      body: 'b',
      labels: ['skillkeeper'],
    });
    const where = { ...repo, issue_number: data.number };
    await asInstallation.rest.issues.update({
      ...where,
      title: 'Swept',
      state: 'closed',
      state_reason: 'not_planned',
    });
    const { data: closed } = await asInstallation.rest.issues.get(where);
    expect(closed).toMatchObject({
      title: 'Swept',
      state: 'closed',
      state_reason: 'not_planned',
      performed_via_github_app: { slug: 'skillkeeper' },
    });
    const { data: listed } = await asInstallation.rest.issues.listForRepo({
      ...repo,
      state: 'all',
      labels: 'skillkeeper',
    });
    expect(listed.map(each => each.number)).toEqual([data.number]);
    await expect(asInstallation.rest.issues.get({ ...repo, issue_number: 999 })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('are written, edited in place and removed', async () => {
    const { asInstallation, repo, twin } = scene;
    const { number } = await twin.openIssue({ repo: 'acme/docs', author: 'rob' });
    const { data } = await asInstallation.rest.issues.createComment({
      ...repo,
      issue_number: number,
      body: 'one',
    });
    const where = { ...repo, comment_id: data.id };
    expect(data).toMatchObject({
      user: { login: 'skillkeeper[bot]', type: 'Bot' },
      author_association: 'NONE',
    });
    await asInstallation.rest.issues.updateComment({ ...where, body: 'two' });
    expect((await asInstallation.rest.issues.getComment(where)).data.body).toBe('two');
    expect(twin.commentById(data.id).history).toEqual(['one']);
    await asInstallation.rest.issues.deleteComment(where);
    await expect(asInstallation.rest.issues.getComment(where)).rejects.toMatchObject({ status: 404 });
  });

  it('carry each reaction of somebody once', async () => {
    const { asInstallation, repo, twin } = scene;
    const { number } = await twin.openIssue({ repo: 'acme/docs', author: 'rob' });
    const { id } = twin.comment({ repo: 'acme/docs', number, author: 'rob', body: '/help' });
    const where = { ...repo, comment_id: id };
    const first = await asInstallation.rest.reactions.createForIssueComment({ ...where, content: 'eyes' });
    const second = await asInstallation.rest.reactions.createForIssueComment({ ...where, content: 'eyes' });
    expect([first.status, second.status, second.data.id]).toEqual([201, 200, first.data.id]);
    twin.react(twin.commentById(id), 'mara', '+1');
    const { data } = await asInstallation.rest.reactions.listForIssueComment({ ...where, content: 'eyes' });
    expect(data.map(each => each.user?.login)).toEqual(['skillkeeper[bot]']);
    await asInstallation.rest.reactions.deleteForIssueComment({ ...where, reaction_id: first.data.id });
    expect(twin.reactions(id).map(each => each.content)).toEqual(['+1']);
  });
});

it('answers the routes of the app and those open to all', async () => {
  const { asApp, twin } = scene;
  const { data: app } = await asApp.rest.apps.getAuthenticated();
  expect(app).toMatchObject({
    slug: 'skillkeeper',
    installations_count: 1,
    events: expect.arrayContaining(['merge_group']),
  });
  expect((await asApp.rest.apps.getWebhookConfigForApp()).data).toMatchObject({
    content_type: 'json',
    url: twin.app.webhookUrl,
  });
  const open = new Octokit({ baseUrl: twin.url });
  expect((await open.rest.users.getByUsername({ username: 'mara' })).data.login).toBe('mara');
  expect((await open.rest.users.getByUsername({ username: 'skillkeeper[bot]' })).data.type).toBe('Bot');
  expect((await open.rest.rateLimit.get()).data.rate.limit).toBe(5000);
  expect((await open.rest.meta.get()).data.hooks).toEqual(['127.0.0.0/8']);
});

it('writes every request down, with who asked', async () => {
  const { twin, asInstallation, asApp, repo } = scene;
  const start = twin.requests.length;
  await asInstallation.rest.repos.get(repo);
  await asApp.rest.apps.getAuthenticated();
  await scene.call(null, '/meta');
  expect(twin.requests.slice(start)).toMatchObject([
    { method: 'GET', path: '/repos/acme/docs', status: 200, token: 'installation' },
    { method: 'GET', path: '/app', status: 200, token: 'app' },
    { method: 'GET', path: '/meta', status: 200, token: 'anonymous' },
  ]);
  expect(twin.requests.at(-1)?.at).toBeGreaterThan(Date.now() - 10_000);
});
