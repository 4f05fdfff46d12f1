import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

/** A JWT with any claims, made by hand: the library would not make a wrong one. */
function jwt(claims: Record<string, unknown>, key = scene.twin.app.privateKey, alg = 'RS256'): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  if (alg === 'HS256') return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}

const seconds = (): number => Math.floor(Date.now() / 1000);

async function ask(token: string): Promise<{ status: number; message: string | undefined }> {
  const answer = await scene.call(token, '/app');
  const { message } = (await answer.json()) as { message?: string };
  return { status: answer.status, message };
}

describe('the JWT of an app', () => {
  it('is accepted with the app id or the client id as issuer, for ten minutes', async () => {
    const { app } = scene.twin;
    for (const iss of [app.id, String(app.id), app.clientId]) {
      const { status } = await ask(jwt({ iss, iat: seconds() - 60, exp: seconds() + 595 }));
      expect(status).toBe(200);
    }
  });

  it('is refused when it would live longer than ten minutes', async () => {
    const token = jwt({ iss: scene.twin.app.id, iat: seconds() - 60, exp: seconds() + 620 });
    expect(await ask(token)).toEqual({
      status: 401,
      message: "'Expiration time' claim ('exp') is too far in the future",
    });
  });

  it('is refused once it has expired', async () => {
    const { status, message } = await ask(
      jwt({ iss: scene.twin.app.id, iat: seconds() - 660, exp: seconds() - 60 }),
    );
    expect(status).toBe(401);
    expect(message).toContain("'Expiration time' claim ('exp')");
  });

  it('is refused when the clock of its maker runs ahead', async () => {
    const { status, message } = await ask(
      jwt({ iss: scene.twin.app.id, iat: seconds() + 60, exp: seconds() + 300 }),
    );
    expect(status).toBe(401);
    expect(message).toContain("'Issued at' claim ('iat')");
  });

  it('is refused with another key, another algorithm, or an unknown issuer', async () => {
    const claims = { iss: scene.twin.app.id, iat: seconds() - 60, exp: seconds() + 300 };
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect((await ask(jwt(claims, other))).status).toBe(401);
    expect((await ask(jwt(claims, 'shared secret', 'HS256'))).status).toBe(401);
    expect(await ask(jwt({ ...claims, iss: 1 }))).toEqual({ status: 404, message: 'Integration not found' });
  });

  it('opens no repository, and a token opens nothing that is the app', async () => {
    const own = jwt({ iss: scene.twin.app.id, iat: seconds() - 60, exp: seconds() + 300 });
    const comments = await scene.call(own, '/repos/acme/docs/issues/1/comments', {
      method: 'POST',
      body: '{}',
    });
    expect(comments.status).toBe(403);
    expect((await ask(await scene.token())).status).toBe(401);
  });
});

describe('a token of an installation', () => {
  it('has the long format, so that nothing assumes forty characters', async () => {
    const token = await scene.token();
    expect(token).toMatch(
      new RegExp(`^ghs_${scene.twin.app.id}_[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9._-]+$`),
    );
    expect(token.length).toBeGreaterThan(480);
    expect(token.length).toBeLessThan(560);
    expect(token).toMatch(/-.*_|_.*-/);
  });

  it('can be revoked, and is dead from then on', async () => {
    const token = await scene.token();
    expect((await scene.call(token, '/installation/token', { method: 'DELETE' })).status).toBe(204);
    const answer = await scene.call(token, '/installation/repositories');
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      401,
      'Bad credentials',
    ]);
  });

  it('is narrowed to the repositories and permissions that were asked for', async () => {
    const { twin, asApp, installation } = scene;
    await twin.createRepository({ owner: 'acme', name: 'secret', private: true, files: { 'a.md': 'a' } });
    twin.installApp('acme/secret');
    const { data } = await asApp.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
      repositories: ['docs'],
      permissions: { contents: 'read' },
    });
    expect(data.permissions).toEqual({ contents: 'read', metadata: 'read' });
    expect(data.repositories?.map(each => each.full_name)).toEqual(['acme/docs']);
    expect((await scene.call(data.token, '/repos/acme/secret')).status).toBe(404);
    const denied = await scene.call(data.token, '/repos/acme/docs/issues', {
      method: 'POST',
      body: JSON.stringify({ title: 'Not mine to open' }),
    });
    expect(denied.status).toBe(403);
    expect(await denied.json()).toMatchObject({ message: 'Resource not accessible by integration' });
  });

  it('is narrowed by repository id too', async () => {
    const { data } = await scene.asInstallation.rest.repos.get(scene.repo);
    const token = await scene.token({ repository_ids: [data.id] });
    const listed = (await (await scene.call(token, '/installation/repositories')).json()) as {
      total_count: number;
    };
    expect(listed.total_count).toBe(1);
  });

  it('cannot be asked for more than was granted', async () => {
    await expect(scene.token({ permissions: { workflows: 'write' } })).rejects.toMatchObject({ status: 422 });
    await expect(scene.token({ repositories: ['nowhere'] })).rejects.toMatchObject({ status: 422 });
  });
});

describe('an installation', () => {
  it('says nothing while it is suspended, and works again afterwards', async () => {
    const { twin, installation } = scene;
    const token = await scene.token();
    twin.suspend(installation);
    const answer = await scene.call(token, '/repos/acme/docs');
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ message: 'This installation has been suspended' });
    await expect(scene.token()).rejects.toMatchObject({ status: 403 });
    twin.unsuspend(installation);
    expect((await scene.call(token, '/repos/acme/docs')).status).toBe(200);
  });

  it('is found by repository, by id and in the list', async () => {
    const { asApp, installation, repo } = scene;
    const { data: byRepository } = await asApp.rest.apps.getRepoInstallation(repo);
    const { data: byId } = await asApp.rest.apps.getInstallation({ installation_id: installation.id });
    const { data: all } = await asApp.rest.apps.listInstallations();
    expect([byRepository.id, byId.id, all[0]?.id]).toEqual([
      installation.id,
      installation.id,
      installation.id,
    ]);
  });

  it('is gone once uninstalled, with its tokens', async () => {
    const { twin } = scene;
    twin.createUser('passer-by');
    const { id } = await twin.createRepository({ owner: 'passer-by', name: 'own', files: { a: 'a' } });
    const installation = twin.installApp('passer-by/own');
    const { data } = await scene.asApp.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
      repository_ids: [id],
    });
    twin.uninstall(installation);
    expect((await scene.call(data.token, '/repos/passer-by/own')).status).toBe(401);
    await expect(
      scene.asApp.rest.apps.createInstallationAccessToken({ installation_id: installation.id }),
    ).rejects.toMatchObject({ status: 404 });
  });
});

it('converts a manifest once, into an app that works', async () => {
  const { twin } = scene;
  const code = twin.submitManifest({
    slug: 'from-manifest',
    owner: 'mara',
    permissions: { metadata: 'read' },
    events: [],
    webhookUrl: null,
  });
  const { data } = await new Octokit({ baseUrl: twin.url }).rest.apps.createFromManifest({ code });
  const auth = { appId: data.id, privateKey: data.pem };
  const { data: app } = await new Octokit({
    baseUrl: twin.url,
    authStrategy: createAppAuth,
    auth,
  }).rest.apps.getAuthenticated();
  expect(app?.slug).toBe('from-manifest');
  expect((await scene.call(null, `/app-manifests/${code}/conversions`, { method: 'POST' })).status).toBe(404);
});

// Last: it moves the clock.
it('lets a token live for one hour by the clock of the twin', async () => {
  const { twin } = scene;
  const token = await scene.token();
  twin.clock.advance(59 * 60_000);
  expect((await scene.call(token, '/repos/acme/docs')).status).toBe(200);
  twin.clock.advance(61_000);
  expect((await scene.call(token, '/repos/acme/docs')).status).toBe(401);
  // The client library learns the drift from the date header and tries again.
  expect(await scene.token()).toMatch(/^ghs_/);
});
