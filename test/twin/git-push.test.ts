import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tryGit } from './git/run-git.ts';
import { openScene, pushFiles, runGit, type Scene, withToken } from './scene.ts';

let scene: Scene;
let token: string;
beforeAll(async () => {
  scene = await openScene();
  token = await scene.token();
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

const heads = (): Promise<ReadonlyMap<string, string>> => scene.twin.refs('acme/docs', 'refs/heads/');

describe('who may clone and push', () => {
  it('is anybody to read what is public, and nobody without a token to write', async () => {
    const directory = scene.folder();
    await runGit(directory, ['clone', '--quiet', scene.twin.gitUrl('acme/docs'), '.']);
    const { exitCode, stderr } = await pushFiles(directory, 'main', { 'a.md': 'a' });
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/could not read Username|Authentication failed/);
  });

  it('is a token with contents: write, and none with less', async () => {
    const reader = await scene.token({ permissions: { contents: 'read' } });
    const directory = await scene.clone('acme/docs', reader);
    const { stderr } = await pushFiles(directory, 'topic', { 'a.md': 'a' });
    expect(stderr).toContain('remote: Write access to repository not granted.');
    expect(stderr).toContain('The requested URL returned error: 403');
    expect((await heads()).has('refs/heads/topic')).toBe(false);
  });

  it('is for a person their role', async () => {
    const directory = await scene.clone('acme/docs', scene.twin.tokenOf('rob'));
    const { stderr } = await pushFiles(directory, 'robs', { 'a.md': 'a' });
    expect(stderr).toContain('remote: Permission to acme/docs.git denied to rob.');
    await runGit(directory, [
      'remote',
      'set-url',
      'origin',
      withToken(scene.twin.gitUrl('acme/docs'), scene.twin.tokenOf('mara')),
    ]);
    expect(await pushFiles(directory, 'maras', { 'b.md': 'b' })).toMatchObject({ exitCode: 0 });
  });

  it('does not learn whether a private repository exists', async () => {
    await scene.twin.createRepository({ owner: 'acme', name: 'secret', private: true, files: { a: 'a' } });
    const url = withToken(scene.twin.gitUrl('acme/secret'), token);
    const { stderr } = await tryGit(scene.folder(), ['ls-remote', url]);
    expect(stderr).toContain('remote: Repository not found.');
    const { stderr: made } = await tryGit(scene.folder(), ['ls-remote', url.replace('secret', 'no-such')]);
    expect(made).toContain('remote: Repository not found.');
  });
});

describe('a push over HTTP', () => {
  it('has the effects of GitHub: webhooks, check suite, head of the pull request', async () => {
    const { twin, receiver } = scene;
    const directory = await scene.clone('acme/docs', twin.tokenOf('mara'));
    await pushFiles(directory, 'effects', { 'a.md': 'one' });
    const thread = await twin.openPullRequest({ repo: 'acme/docs', head: 'effects', author: 'mara' });
    const before = await runGit(directory, ['rev-parse', 'HEAD']);
    await pushFiles(directory, 'effects', { 'b.md': 'two' });
    const after = await runGit(directory, ['rev-parse', 'HEAD']);
    await twin.webhooks.settle();

    const push = receiver.of('push').at(-1)?.payload;
    expect(push).toMatchObject({ ref: 'refs/heads/effects', before, after, created: false, forced: false });
    expect(push.commits).toMatchObject([{ id: after, added: ['b.md'], modified: [], removed: [] }]);
    expect(push.pusher.name).toBe('mara');
    expect(receiver.of('check_suite', 'requested').at(-1)?.payload.check_suite).toMatchObject({
      head_sha: after,
      head_branch: 'effects',
      pull_requests: [{ number: thread.number }],
    });
    expect(receiver.of('pull_request', 'synchronize').at(-1)?.payload).toMatchObject({ before, after });
    expect(thread.pull?.headSha).toBe(after);
    expect((await twin.refs('acme/docs')).get(`refs/pull/${thread.number}/head`)).toBe(after);
  });

  it('of a ref that is neither branch nor tag tells nobody', async () => {
    const { twin, receiver } = scene;
    const directory = await scene.clone('acme/docs', token);
    const count = receiver.received.length;
    await runGit(directory, ['push', '--quiet', 'origin', 'HEAD:refs/skillkeeper/runs/1']);
    await twin.webhooks.settle();
    expect(receiver.received.length).toBe(count);
    expect((await twin.refs('acme/docs')).has('refs/skillkeeper/runs/1')).toBe(true);
  });

  it('is refused with a lease that no longer holds, and moves nothing when it is atomic', async () => {
    const { twin } = scene;
    const directory = await scene.clone('acme/docs', token);
    const old = await runGit(directory, ['rev-parse', 'HEAD']);
    const moved = await twin.push({
      repo: 'acme/docs',
      branch: 'main',
      author: 'mara',
      files: { 'm.md': 'm' },
    });
    await runGit(directory, ['commit', '--quiet', '--allow-empty', '--message', 'late']);
    const args = [
      'push',
      '--atomic',
      `--force-with-lease=refs/heads/main:${old}`,
      'origin',
      'HEAD:refs/heads/main',
      'HEAD:refs/skillkeeper/runs/2',
    ];
    const { exitCode, stderr } = await tryGit(directory, args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('(stale info)');
    expect((await heads()).get('refs/heads/main')).toBe(moved);
    expect((await twin.refs('acme/docs')).has('refs/skillkeeper/runs/2')).toBe(false);
  });

  it('fails whole when one ref of an atomic push is refused', async () => {
    const directory = await scene.clone('acme/docs', token);
    await runGit(directory, ['commit', '--quiet', '--allow-empty', '--message', 'both']);
    const refs = ['HEAD:refs/heads/fellow', 'HEAD:refs/pull/99/head'];
    const { exitCode, stderr } = await tryGit(directory, ['push', '--atomic', 'origin', ...refs]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('[remote rejected] HEAD -> refs/pull/99/head (deny updating a hidden ref)');
    expect(stderr).toContain('(atomic push failure)');
    expect((await heads()).has('refs/heads/fellow')).toBe(false);
  });

  it('lets pass what stands beside a refused ref when it is not atomic', async () => {
    const directory = await scene.clone('acme/docs', token);
    const refs = ['HEAD:refs/heads/beside', 'HEAD:refs/pull/99/head'];
    expect((await tryGit(directory, ['push', 'origin', ...refs])).exitCode).toBe(1);
    expect((await heads()).has('refs/heads/beside')).toBe(true);
  });

  it('loses a race for a ref that moves after it was announced', async () => {
    const [slow, fast] = [await scene.clone('acme/docs', token), await scene.clone('acme/docs', token)];
    await runGit(slow, ['push', '--quiet', 'origin', 'HEAD:refs/heads/race']);
    const start = await runGit(slow, ['rev-parse', 'HEAD']);
    await runGit(fast, ['commit', '--quiet', '--allow-empty', '--message', 'faster']);
    // git runs this hook between the announcement of the refs and the push.
    const overtake = `env -u GIT_DIR git -C '${fast}' push --quiet origin HEAD:refs/heads/race`;
    await mkdir(join(slow, '.git/hooks'), { recursive: true });
    await writeFile(join(slow, '.git/hooks/pre-push'), `#!/bin/sh\n${overtake}\n`, { mode: 0o755 });
    const { exitCode, stderr } = await pushFiles(slow, 'race', { 's.md': 's' });
    const winner = await runGit(fast, ['rev-parse', 'HEAD']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `[remote rejected] HEAD -> race (cannot lock ref 'refs/heads/race': is at ${winner} but expected ${start})`,
    );
    expect((await heads()).get('refs/heads/race')).toBe(winner);
  });

  it('may be lost on the way back, with its work done', async () => {
    const { twin } = scene;
    const directory = await scene.clone('acme/docs', token);
    twin.failNext({ method: 'POST', path: /git-receive-pack$/, loseAnswer: true });
    expect((await pushFiles(directory, 'lost-answer', { 'l.md': 'l' })).exitCode).not.toBe(0);
    expect((await heads()).get('refs/heads/lost-answer')).toBe(
      await runGit(directory, ['rev-parse', 'HEAD']),
    );
  });

  it('can be told to fail before git sees it', async () => {
    const directory = await scene.clone('acme/docs', token);
    scene.twin.failNext({ path: /info\/refs$/, status: 503 });
    const { stderr } = await pushFiles(directory, 'unavailable', { 'u.md': 'u' });
    expect(stderr).toContain('The requested URL returned error: 503');
  });
});

describe('an app', () => {
  const refusal = (path: string): string =>
    `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;

  it('may not push a changed workflow without the permission for it', async () => {
    const directory = await scene.clone('acme/docs', token);
    const { stderr } = await pushFiles(directory, 'main', { '.github/workflows/ci.yml': 'on: push\n' });
    expect(stderr).toContain(`[remote rejected] HEAD -> main (${refusal('.github/workflows/ci.yml')})`);
    const fresh = await scene.clone('acme/docs', token);
    const { stderr: onNew } = await pushFiles(fresh, 'new-branch', {
      '.github/workflows/x.yml': 'on: push\n',
    });
    expect(onNew).toContain(refusal('.github/workflows/x.yml'));
  });

  it('may push on top of workflows it does not touch, and a person may change them', async () => {
    const directory = await scene.clone('acme/docs', scene.twin.tokenOf('mara'));
    expect(await pushFiles(directory, 'main', { '.github/workflows/ci.yml': 'on: push\n' })).toMatchObject({
      exitCode: 0,
    });
    const ours = await scene.clone('acme/docs', token);
    expect(await pushFiles(ours, 'beyond', { 'docs/x.md': 'x' })).toMatchObject({ exitCode: 0 });
  });
});

describe('a protected branch', () => {
  it('takes pushes of none but those named', async () => {
    const { twin } = scene;
    twin.protect('acme/docs', 'release', { pushers: ['mara'] });
    const directory = await scene.clone('acme/docs', token);
    const { stderr } = await pushFiles(directory, 'release', { 'r.md': 'r' });
    expect(stderr).toContain('remote: error: GH006: Protected branch update failed for refs/heads/release.');
    expect(stderr).toContain('[remote rejected] HEAD -> release (protected branch hook declined)');
    await runGit(directory, [
      'remote',
      'set-url',
      'origin',
      withToken(twin.gitUrl('acme/docs'), twin.tokenOf('mara')),
    ]);
    expect(await pushFiles(directory, 'release', { 's.md': 's' })).toMatchObject({ exitCode: 0 });
  });

  it('that is the default one cannot be deleted', async () => {
    const directory = await scene.clone('acme/docs', token);
    const { stderr } = await tryGit(directory, ['push', 'origin', ':refs/heads/main']);
    expect(stderr).toContain('refusing to delete the current branch');
  });
});

it('stops git with an expired token', async () => {
  const directory = await scene.clone('acme/docs', token);
  scene.twin.clock.advance(3_601_000);
  expect((await pushFiles(directory, 'too-late', { 't.md': 't' })).stderr).toContain('Authentication failed');
});
