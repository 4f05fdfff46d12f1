import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

describe('pull requests', () => {
  it('are opened, found, changed, merged and closed', async () => {
    const { asInstallation, repo, twin } = scene;
    await twin.push({ repo: 'acme/docs', branch: 'change', author: 'mara', files: { 'c.md': 'one\ntwo\n' } });
    const { data: opened } = await asInstallation.rest.pulls.create({
      ...repo,
      title: 'Change',
      head: 'change',
      base: 'main',
      body: 'Why',
    });
    expect(opened).toMatchObject({
      commits: 1,
      additions: 2,
      deletions: 0,
      changed_files: 1,
      mergeable: true,
      merged: false,
    });
    expect(opened.user.login).toBe('skillkeeper[bot]');
    const where = { ...repo, pull_number: opened.number };
    const again = asInstallation.rest.pulls.create({ ...repo, title: 'Again', head: 'change', base: 'main' });
    await expect(again).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('A pull request already exists for acme:change.'),
    });
    const empty = asInstallation.rest.pulls.create({ ...repo, title: 'Empty', head: 'main', base: 'main' });
    await expect(empty).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('No commits between main and main'),
    });
    const { data: found } = await asInstallation.rest.pulls.list({
      ...repo,
      head: 'acme:change',
      state: 'open',
    });
    expect(found.map(each => each.number)).toEqual([opened.number]);
    const { data: changed } = await asInstallation.rest.pulls.update({ ...where, title: 'Better' });
    expect(changed.title).toBe('Better');
    await twin.merge(twin.thread('acme/docs', opened.number), 'mara');
    const { data: merged } = await asInstallation.rest.pulls.get(where);
    expect(merged).toMatchObject({ state: 'closed', merged: true, merged_by: { login: 'mara' } });
    expect(merged.merge_commit_sha).toBe(await twin.head('acme/docs', 'main'));
    await expect(asInstallation.rest.pulls.update({ ...where, state: 'open' })).rejects.toMatchObject({
      status: 422,
    });
  });

  it('close with their branch, and say when they cannot be merged', async () => {
    const { asInstallation, repo, twin } = scene;
    await twin.push({ repo: 'acme/docs', branch: 'clash', author: 'mara', files: { 'README.md': 'Mine\n' } });
    const { number } = await twin.openPullRequest({ repo: 'acme/docs', head: 'clash', author: 'mara' });
    await twin.push({
      repo: 'acme/docs',
      branch: 'main',
      author: 'mara',
      files: { 'README.md': 'Theirs\n' },
    });
    const { data } = await asInstallation.rest.pulls.get({ ...repo, pull_number: number });
    expect([data.mergeable, data.mergeable_state]).toEqual([false, 'dirty']);
    await twin.deleteBranch('acme/docs', 'clash', 'mara');
    expect(twin.thread('acme/docs', number).state).toBe('closed');
  });

  it('catch up with their branch when they are opened again', async () => {
    const { twin } = scene;
    await twin.push({ repo: 'acme/docs', branch: 'pause', author: 'mara', files: { 'p.md': '1' } });
    const thread = await twin.openPullRequest({ repo: 'acme/docs', head: 'pause', author: 'mara' });
    await twin.closeThread(thread, 'mara');
    const later = await twin.push({
      repo: 'acme/docs',
      branch: 'pause',
      author: 'mara',
      files: { 'p.md': '2' },
    });
    expect(thread.pull?.headSha).not.toBe(later);
    await twin.reopenThread(thread, 'mara');
    expect(thread.pull?.headSha).toBe(later);
  });

  it('know of a forced push, and of a rewind', async () => {
    const { asInstallation, repo, twin } = scene;
    const main = await twin.head('acme/docs', 'main');
    const first = await twin.push({
      repo: 'acme/docs',
      branch: 'force',
      author: 'mara',
      files: { 'f.md': '1' },
    });
    const { number } = await twin.openPullRequest({ repo: 'acme/docs', head: 'force', author: 'mara' });
    const second = await twin.forcePush({
      repo: 'acme/docs',
      branch: 'force',
      author: 'mara',
      files: { 'f.md': '2' },
      onto: main,
    });
    expect(twin.thread('acme/docs', number).pull?.headSha).toBe(second);
    await twin.rewind('acme/docs', 'force', first, 'mara');
    twin.comment({ repo: 'acme/docs', number, author: 'rob', body: 'Oh' });
    await asInstallation.rest.pulls.update({ ...repo, pull_number: number, state: 'closed' });
    const { data } = await asInstallation.rest.issues.listEventsForTimeline({
      ...repo,
      issue_number: number,
    });
    expect(data.map(each => ('event' in each ? each.event : '?'))).toEqual([
      ...['committed', 'head_ref_force_pushed', 'committed', 'head_ref_force_pushed', 'commented', 'closed'],
    ]);
    await twin.webhooks.settle();
    expect(scene.receiver.of('push').filter(each => each.payload.forced)).toHaveLength(2);
  });
});
