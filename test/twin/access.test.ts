import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';
import type { Role } from './world/world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
  await scene.twin.createRepository({ owner: 'acme', name: 'secret', private: true, files: { 'a.md': 'a' } });
  await scene.twin.createRepository({ owner: 'acme', name: 'open', files: { 'a.md': 'a' } });
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

async function permission(
  username: string,
  repo: string,
): Promise<{ permission: string; role_name: string }> {
  const { data } = await scene.asInstallation.rest.repos.getCollaboratorPermissionLevel({
    owner: 'acme',
    repo,
    username,
  });
  return { permission: data.permission, role_name: data.role_name };
}

describe('a repository', () => {
  it('that is private does not exist for who may not see it', async () => {
    for (const token of [null, await scene.token(), scene.twin.tokenOf('rob')]) {
      expect((await scene.call(token, '/repos/acme/secret')).status).toBe(404);
    }
  });

  it('that is public can be read by anybody, and written by an installation on it alone', async () => {
    const token = await scene.token();
    expect((await scene.call(null, '/repos/acme/open')).status).toBe(200);
    expect((await scene.call(token, '/repos/acme/open/contents/a.md')).status).toBe(200);
    const init = { method: 'POST', body: JSON.stringify({ title: 'Hello' }) };
    expect((await scene.call(token, '/repos/acme/open/issues', init)).status).toBe(403);
    expect((await scene.call(null, '/repos/acme/open/issues', init)).status).toBe(401);
  });

  it('that was renamed redirects to its id, and is followed', async () => {
    const { twin } = scene;
    const { id } = await twin.createRepository({ owner: 'acme', name: 'before', files: { a: 'a' } });
    twin.rename('acme/before', 'after');
    const answer = await scene.call(null, '/repos/acme/before', { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([301, `${twin.url}/repositories/${id}`]);
    const { data } = await new Octokit({ baseUrl: twin.url }).rest.repos.get({
      owner: 'acme',
      repo: 'before',
    });
    expect(data.full_name).toBe('acme/after');
  });

  it('needs the permission of the route, or of either where two will do', async () => {
    const thread = await scene.twin.openIssue({ repo: 'acme/docs', author: 'rob' });
    const path = `/repos/acme/docs/issues/${thread.number}/comments`;
    const init = { method: 'POST', body: JSON.stringify({ body: 'Hello' }) };
    const statuses = [];
    for (const permissions of [
      { contents: 'write' },
      { issues: 'read' },
      { issues: 'write' },
      { pull_requests: 'write' },
    ]) {
      const token = await scene.token({ permissions: permissions as Record<string, string> });
      statuses.push((await scene.call(token, path, init)).status);
    }
    expect(statuses).toEqual([403, 403, 201, 201]);
  });
});

describe('the permission of a person', () => {
  it('maps maintain to write and triage to read, and names the role beside it', async () => {
    const expected: Record<Role, string> = {
      admin: 'admin',
      maintain: 'write',
      write: 'write',
      triage: 'read',
      read: 'read',
      none: 'none',
    };
    for (const [role, word] of Object.entries(expected)) {
      scene.twin.setRole('acme/docs', 'rob', role as Role);
      expect(await permission('rob', 'docs')).toEqual({ permission: word, role_name: role });
    }
  });

  it('is read for a stranger where all may read, and none where nobody may', async () => {
    scene.twin.createUser('stranger');
    scene.twin.installApp('acme/secret');
    expect(await permission('stranger', 'docs')).toEqual({ permission: 'read', role_name: 'read' });
    expect(await permission('stranger', 'secret')).toEqual({ permission: 'none', role_name: 'none' });
  });

  it('cannot be looked up for an app or a nobody', async () => {
    for (const login of ['skillkeeper[bot]', 'nobody']) {
      await expect(permission(login, 'docs')).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining(`${login} is not a user`),
      });
    }
  });
});

it('wants a user agent, and real credentials where there are any', async () => {
  expect((await scene.call('ghs_made_up', '/repos/acme/docs')).status).toBe(401);
  const { request } = await import('node:http');
  const status = await new Promise(resolve => {
    request(`${scene.twin.url}/repos/acme/docs`, answer => {
      answer.resume();
      resolve(answer.statusCode);
    }).end();
  });
  expect(status).toBe(403);
});
