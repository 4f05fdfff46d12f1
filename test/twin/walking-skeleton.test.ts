import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScene, pushFiles, runGit, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

it('carries a command from a comment to a pushed commit and back', async () => {
  const { twin, receiver, asInstallation, repo } = scene;
  await twin.push({ repo: 'acme/docs', branch: 'topic', author: 'mara', files: { 'a.md': 'One\n' } });
  const thread = await twin.openPullRequest({ repo: 'acme/docs', head: 'topic', author: 'mara' });
  twin.comment({ repo: 'acme/docs', number: thread.number, author: 'mara', body: '/verify' });
  await twin.webhooks.settle();

  const [heard] = receiver.of('issue_comment', 'created');
  expect(heard?.isSigned).toBe(true);
  expect(heard?.payload.comment.body).toBe('/verify');
  expect(heard?.payload.installation.id).toBe(scene.installation.id);

  const { data: pull } = await asInstallation.rest.pulls.get({ ...repo, pull_number: thread.number });
  const directory = await scene.clone('acme/docs', await scene.token());
  await runGit(directory, ['checkout', '--quiet', 'topic']);
  expect(await runGit(directory, ['rev-parse', 'HEAD'])).toBe(pull.head.sha);
  expect(await pushFiles(directory, 'topic', { 'b.md': 'Two\n' })).toMatchObject({ exitCode: 0 });
  const pushed = await runGit(directory, ['rev-parse', 'HEAD']);
  await twin.webhooks.settle();

  const [synchronize] = receiver.of('pull_request', 'synchronize');
  expect(synchronize?.payload).toMatchObject({
    before: pull.head.sha,
    after: pushed,
    sender: { type: 'Bot' },
  });
  expect(synchronize?.payload.pull_request.head.sha).toBe(pushed);
  expect(await runGit(directory, ['ls-remote', 'origin', `refs/pull/${thread.number}/head`])).toContain(
    pushed,
  );

  await asInstallation.rest.reactions.createForIssueComment({
    ...repo,
    comment_id: heard?.payload.comment.id,
    content: 'rocket',
  });
  expect(twin.reactions(heard?.payload.comment.id).map(each => each.content)).toEqual(['rocket']);
  twin.assertClean();
});
