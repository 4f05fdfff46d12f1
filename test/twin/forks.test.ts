import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openScene, pushFiles, runGit, type Scene } from './scene.ts';

let scene: Scene;
let token: string;
beforeAll(async () => {
  scene = await openScene();
  token = await scene.token();
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

describe('a pull request from a fork', () => {
  it('opens the branch to those who may write to the base, when its box is ticked', async () => {
    const { twin, receiver } = scene;
    const fork = await twin.fork('acme/docs', 'rob');
    await twin.push({ repo: 'rob/docs', branch: 'patch', author: 'rob', files: { 'p.md': 'p' } });
    const thread = await twin.openPullRequest({ repo: 'acme/docs', head: 'rob:patch', author: 'rob' });
    const directory = await scene.clone('rob/docs', token);
    await runGit(directory, ['checkout', '--quiet', 'patch']);
    expect(await pushFiles(directory, 'patch', { 'q.md': 'q' })).toMatchObject({ exitCode: 0 });
    await twin.webhooks.settle();
    const pushed = await twin.head('rob/docs', 'patch');
    expect(receiver.of('pull_request', 'synchronize').at(-1)?.payload.after).toBe(pushed);
    expect((await pushFiles(directory, 'another', { 'r.md': 'r' })).stderr).toContain('permission denied');
    // The base can serve the head by its id.
    const reader = await scene.clone('acme/docs', token);
    await runGit(reader, ['fetch', '--quiet', 'origin', pushed]);
    await scene.asInstallation.rest.pulls.update({
      ...scene.repo,
      pull_number: thread.number,
      maintainer_can_modify: false,
    });
    expect((await pushFiles(directory, 'patch', { 's.md': 's' })).stderr).toContain(
      'remote: Permission to rob/docs.git denied to skillkeeper[bot].',
    );
    expect(fork.forkOf?.name).toBe('docs');
  });

  it('of an organisation stays closed whatever the box says', async () => {
    const { twin } = scene;
    twin.createOrganisation('other-org');
    await twin.fork('acme/docs', 'other-org');
    await twin.push({ repo: 'other-org/docs', branch: 'patch', author: 'rob', files: { 'o.md': 'o' } });
    const thread = await twin.openPullRequest({ repo: 'acme/docs', head: 'other-org:patch', author: 'rob' });
    const { data } = await scene.asInstallation.rest.pulls.get({ ...scene.repo, pull_number: thread.number });
    expect(data.maintainer_can_modify).toBe(true);
    const directory = await scene.clone('other-org/docs', token);
    const { stderr } = await pushFiles(directory, 'patch', { 'q.md': 'q' });
    expect(stderr).toContain('remote: Permission to other-org/docs.git denied to skillkeeper[bot].');
  });

  it('has no head repository once the fork is deleted', async () => {
    const { twin, asInstallation, repo } = scene;
    twin.createUser('leaver');
    await twin.fork('acme/docs', 'leaver');
    const sha = await twin.push({
      repo: 'leaver/docs',
      branch: 'patch',
      author: 'leaver',
      files: { 'l.md': 'l' },
    });
    const { number } = await twin.openPullRequest({
      repo: 'acme/docs',
      head: 'leaver:patch',
      author: 'leaver',
    });
    twin.deleteRepository('leaver/docs');
    const { data } = await asInstallation.rest.pulls.get({ ...repo, pull_number: number });
    expect([data.head.repo, data.head.sha]).toEqual([null, sha]);
  });
});

it('lets refs/pull/N/head lag behind the webhook', async () => {
  const { twin, receiver } = scene;
  const first = await twin.push({ repo: 'acme/docs', branch: 'lag', author: 'mara', files: { 'l.md': '1' } });
  const { number } = await twin.openPullRequest({ repo: 'acme/docs', head: 'lag', author: 'mara' });
  const ref = async () => (await twin.refs('acme/docs')).get(`refs/pull/${number}/head`);
  twin.pullRefs.hold();
  const second = await twin.push({
    repo: 'acme/docs',
    branch: 'lag',
    author: 'mara',
    files: { 'l.md': '2' },
  });
  await twin.webhooks.settle();
  expect(receiver.of('pull_request', 'synchronize').at(-1)?.payload.after).toBe(second);
  expect(await ref()).toBe(first);
  await twin.pullRefs.release();
  expect(await ref()).toBe(second);
});
