import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ForgeFault } from '../../src/forge/forge-fault.ts';
import { secondaryRateLimit } from '../twin/http/faults.ts';
import { type ForgeScene, openForgeScene } from './forge-scene.ts';

let scene: ForgeScene;
beforeEach(async () => {
  scene = await openForgeScene();
});
afterEach(async () => {
  scene.twin.assertClean();
  await scene.close();
});

const ISSUE = /^\/repos\/acme\/docs\/issues\/1$/;
const COMMENTS = /^\/repos\/acme\/docs\/issues\/1\/comments$/;
const counted = (path: RegExp, method = 'GET'): number =>
  scene.twin.requests.filter(each => each.method === method && path.test(each.path)).length;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function faultOf(work: Promise<unknown>): Promise<ForgeFault> {
  const error = await work.then(
    () => undefined,
    reason => reason,
  );
  if (!(error instanceof ForgeFault)) throw new Error(`no forge fault: ${error}`);
  return error;
}

describe('when GitHub is not itself', () => {
  it.each([500, 502, 503])('asks again after %i, quickly', async status => {
    scene.twin.failNext({ path: ISSUE, status, times: 2 });
    expect(await scene.forge.thread(1)).toMatchObject({ kind: 'found' });
    expect(counted(ISSUE)).toBe(3);
  });

  it('gives up after three tries', async () => {
    scene.twin.failNext({ path: ISSUE, status: 502, times: 9, body: { message: 'Bad gateway' } });
    const fault = await faultOf(scene.forge.thread(1));
    expect(fault).toMatchObject({
      code: 'forge-unavailable',
      retry: 'later',
      status: 502,
      outcomeUnknown: false,
    });
    expect(fault.message).toContain('GET /repos/acme/docs/issues/1: Bad gateway');
    expect(counted(ISSUE)).toBe(3);
  });

  it('asks again when it hangs up', async () => {
    scene.twin.failNext({ path: ISSUE, reset: true });
    expect(await scene.forge.thread(1)).toMatchObject({ kind: 'found' });
  });

  it('says so when nobody is there', async () => {
    const forge = await scene.another({ apiUrl: `http://127.0.0.1:${await freePort()}` });
    const fault = await faultOf(forge.createComment(1, 'x'));
    expect(fault).toMatchObject({ code: 'forge-unavailable', status: null, outcomeUnknown: false });
  });

  it('takes an answer that is not JSON for a failure', async () => {
    scene.twin.failNext({
      path: ISSUE,
      status: 200,
      body: '<html>',
      headers: { 'content-type': 'text/html', 'content-length': '8' },
      times: 3,
    });
    expect(await faultOf(scene.forge.thread(1))).toMatchObject({ code: 'forge-unavailable' });
  });
});

describe('a write whose answer was lost', () => {
  it('is not sent again, and says that it may have been done', async () => {
    scene.twin.failNext({ method: 'POST', path: COMMENTS, loseAnswer: true });
    const fault = await faultOf(scene.forge.createComment(1, 'Once'));
    expect(fault).toMatchObject({ code: 'forge-unavailable', retry: 'later', outcomeUnknown: true });
    expect(await scene.forge.comments(1, { ours: true })).toMatchObject([{ body: 'Once' }]);
  });

  it('is not sent again after a 502 either', async () => {
    scene.twin.failNext({ method: 'POST', path: COMMENTS, status: 502 });
    expect(await faultOf(scene.forge.createComment(1, 'x'))).toMatchObject({ outcomeUnknown: true });
    expect(counted(COMMENTS, 'POST')).toBe(1);
  });

  it('is sent again where twice is once: edits and reactions', async () => {
    const { id } = await scene.forge.createComment(1, 'first');
    scene.twin.failNext({ method: 'PATCH', path: /\/comments\/\d+$/, loseAnswer: true });
    expect(await scene.forge.updateComment(id, 'second')).toMatchObject({ value: { body: 'second' } });
    scene.twin.failNext({ method: 'POST', path: /\/reactions$/, loseAnswer: true });
    expect(await scene.forge.react(id, 'eyes')).toEqual({ kind: 'found', value: true });
    expect(scene.twin.reactions(id)).toHaveLength(1);
  });
});

describe('a rate limit', () => {
  it('is waited out when that is short, also before a write: it was not done', async () => {
    scene.twin.failNext({ method: 'POST', path: COMMENTS, ...secondaryRateLimit(1) });
    const started = performance.now();
    await scene.forge.createComment(1, 'patient');
    expect(performance.now() - started).toBeGreaterThan(950);
    expect(scene.twin.comments('acme/docs', 1).map(({ body }) => body)).toEqual(['patient']);
  });

  it('goes back to the caller with the time when that is long', async () => {
    scene.twin.failNext({ path: ISSUE, ...secondaryRateLimit(90) });
    const fault = await faultOf(scene.forge.thread(1));
    expect(fault).toMatchObject({ code: 'forge-rate-limited', retry: 'later', retryAfterMs: 90_000 });
    expect(fault.message).toContain('for another 90 s');
  });

  it('counts to the hour’s end when all requests are used up', async () => {
    const body = { message: 'API rate limit exceeded for installation ID 1.' };
    const reset = String(Math.ceil(scene.twin.clock.now() / 1000) + 1200);
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    scene.twin.failNext({ path: ISSUE, status: 403, headers, body });
    const fault = await faultOf(scene.forge.thread(1));
    expect(fault.code).toBe('forge-rate-limited');
    expect(Math.abs((fault.retryAfterMs ?? 0) - 1_200_000)).toBeLessThan(3000);
  });
});

describe('a refusal', () => {
  it('names the permission and the page to open', async () => {
    scene.twin.failNext({
      path: COMMENTS,
      status: 403,
      body: { message: 'Resource not accessible by integration' },
      headers: { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' },
    });
    const fault = await faultOf(scene.forge.createComment(1, 'x'));
    expect(fault).toMatchObject({ code: 'forge-forbidden', retry: 'never', status: 403 });
    expect(fault.message).toContain('the permission issues: write or pull_requests: write.');
    const page = `/organizations/acme/settings/installations/${scene.installation.id}`;
    expect(fault.message).toContain(`Open ${scene.twin.url}${page} and accept it.`);
  });

  it('names them too when the owner granted less than the app asks for', async () => {
    scene.installation.permissions = { metadata: 'read', contents: 'read' };
    const fault = await faultOf(scene.forge.thread(1));
    expect(fault).toMatchObject({ code: 'forge-forbidden' });
    expect(fault.message).toContain('checks: write and issues: write');
  });

  it('says what to do about a locked conversation', async () => {
    const body = { message: 'Unable to create comment because issue is locked.' };
    scene.twin.failNext({ path: COMMENTS, status: 403, body });
    const fault = await faultOf(scene.forge.createComment(1, 'x'));
    expect(fault.message).toContain('Unlock the conversation first.');
  });

  it('repeats GitHub’s own words of what was invalid', async () => {
    const fault = await faultOf(scene.forge.createComment(1, '  '));
    expect(fault).toMatchObject({ code: 'forge-invalid', retry: 'never', status: 422 });
    expect(fault.message).toMatch(/Validation Failed: .*body/);
  });

  it('does not pass a wrong key or app id for something that is gone', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const wrongKey = await scene.another({ privateKey });
    expect(await faultOf(wrongKey.thread(1))).toMatchObject({ code: 'forge-unauthorised', retry: 'never' });
    const wrongApp = await scene.another({ appId: 4711 });
    expect(await faultOf(wrongApp.repository())).toMatchObject({ code: 'forge-unauthorised' });
  });
});

describe('something gone', () => {
  const gone = { kind: 'gone' };
  const everything = () => [scene.forge.repository(), scene.forge.thread(1), scene.forge.branchHead('main')];

  it.each([404, 410, 451])('is no fault: %i', async status => {
    scene.twin.failNext({ path: ISSUE, status });
    expect(await scene.forge.thread(1)).toEqual({ kind: 'gone', what: 'thread #1' });
  });

  it.each(['before', 'after'])('is a suspended installation, %s it was first used', async when => {
    if (when === 'after') await scene.forge.thread(1);
    scene.twin.suspend(scene.installation);
    for (const asked of everything()) expect(await asked).toMatchObject(gone);
    expect(await faultOf(scene.forge.createComment(1, 'x'))).toMatchObject({
      code: 'forge-gone',
      retry: 'never',
    });
    expect(await faultOf(scene.forge.gitToken('read'))).toMatchObject({ code: 'forge-gone' });
    expect(await scene.octokitForge.app.repositories(scene.installation.id)).toMatchObject(gone);
    expect(await scene.octokitForge.app.installations()).toMatchObject([{ isSuspended: true }]);
    scene.twin.unsuspend(scene.installation);
    expect(await scene.forge.thread(1)).toMatchObject({ kind: 'found' });
  });

  it('is an app that was uninstalled', async () => {
    await scene.forge.thread(1);
    scene.twin.uninstall(scene.installation);
    for (const asked of everything()) expect(await asked).toMatchObject(gone);
  });

  it('is a repository that was deleted, or that the installation does not cover', async () => {
    await scene.forge.thread(1);
    const other = await scene.twin.createRepository({ owner: 'acme', name: 'other' });
    const place = { installationId: scene.installation.id, repositoryId: other.id };
    const outside = await scene.octokitForge.openForge(place);
    expect(await outside.repository()).toMatchObject(gone);
    scene.twin.deleteRepository('acme/docs');
    for (const asked of everything()) expect(await asked).toMatchObject(gone);
  });
});

describe('a name that changed', () => {
  it('is found again by the id, for reads and for writes, each done once', async () => {
    await scene.forge.thread(1);
    scene.twin.rename('acme/docs', 'handbook');
    scene.twin.failNext({
      method: 'POST',
      path: COMMENTS,
      status: 301,
      headers: { location: `${scene.twin.url}/repositories/${scene.repository.id}/issues/1/comments` },
    });
    expect(await scene.forge.createComment(1, 'still here')).toMatchObject({ body: 'still here' });
    expect(scene.twin.comments('acme/handbook', 1)).toHaveLength(1);
    expect(await scene.forge.repository()).toMatchObject({
      value: { fullName: 'acme/handbook', cloneUrl: scene.twin.gitUrl('acme/handbook') },
    });
  });

  it('does not lead a write astray: a redirect is not followed', async () => {
    await scene.forge.thread(1);
    scene.twin.rename('acme/docs', 'handbook');
    await scene.forge.thread(1);
    expect(scene.twin.requests.filter(({ status }) => status === 301)).toHaveLength(1);
  });
});

describe('tokens', () => {
  const mints = () => counted(/\/access_tokens$/, 'POST');

  it('are asked for once for many calls, also at the same time', async () => {
    await Promise.all([scene.forge.thread(1), scene.forge.repository(), scene.forge.branchHead('main')]);
    const again = await scene.octokitForge.openForge({
      installationId: scene.installation.id,
      repositoryId: scene.repository.id,
    });
    await again.thread(1);
    expect(mints()).toBe(1);
  });

  it('are renewed before they end', async () => {
    await scene.forge.thread(1);
    scene.twin.clock.advance(54 * 60_000);
    await scene.forge.thread(1);
    expect(mints()).toBe(1);
    scene.twin.clock.advance(2 * 60_000);
    expect(await scene.forge.thread(1)).toMatchObject({ kind: 'found' });
    expect(scene.twin.requests.filter(({ path, status }) => ISSUE.test(path) && status === 401)).toEqual([]);
    expect(
      scene.twin.requests.filter(({ path, status }) => /access_tokens/.test(path) && status === 201),
    ).toHaveLength(2);
  });

  it('that ended without our knowing are replaced, once', async () => {
    const forge = await scene.another({ clock: { now: () => Date.now() } });
    await forge.thread(1);
    scene.twin.clock.advance(2 * 3_600_000);
    expect(await forge.thread(1)).toMatchObject({ kind: 'found' });
    scene.twin.failNext({ path: ISSUE, status: 401, body: { message: 'Bad credentials' }, times: 5 });
    const before = counted(ISSUE);
    expect(await faultOf(forge.thread(1))).toMatchObject({ code: 'forge-unauthorised' });
    expect(counted(ISSUE) - before).toBe(2);
  });

  it('are forgotten when told to', async () => {
    await scene.forge.thread(1);
    scene.octokitForge.forgetTokens(scene.installation.id);
    await scene.forge.thread(1);
    expect(mints()).toBe(2);
  });
});
