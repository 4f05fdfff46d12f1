import { verify } from '@octokit/webhooks-methods';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
let number: number;
let said = 0;
beforeAll(async () => {
  scene = await openScene({ limits: { webhookDeadlineMs: 1500 } });
  number = (await scene.twin.openIssue({ repo: 'acme/docs', author: 'rob' })).number;
  await scene.twin.webhooks.settle();
});
beforeEach(() => {
  scene.receiver.answer = 202;
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

/** Says something; its body is what tells the deliveries apart. */
function say(): string {
  const body = `word ${++said}`;
  scene.twin.comment({ repo: 'acme/docs', number, author: 'rob', body });
  return body;
}

/** Bodies of the comments heard since, in the order they came in. */
async function hear(act: () => void): Promise<readonly string[]> {
  const start = scene.receiver.received.length;
  act();
  await scene.twin.webhooks.settle();
  return scene.receiver.received.slice(start).map(each => each.payload.comment.body);
}

it('carries the headers of GitHub and a signature of what it carries', async () => {
  await hear(say);
  const last = scene.receiver.received.at(-1);
  expect(last?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-github-event': 'issue_comment',
    'x-github-hook-installation-target-id': String(scene.twin.app.id),
    'x-github-hook-installation-target-type': 'integration',
  });
  expect(last?.headers['user-agent']).toMatch(/^GitHub-Hookshot\//);
  expect(last?.guid).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(last?.isSigned).toBe(true);
  expect(
    await verify('another secret', JSON.stringify(last?.payload), last?.headers['x-hub-signature-256'] ?? ''),
  ).toBe(false);
});

describe('the knobs', () => {
  it('hold everything back, and release it in its order', async () => {
    const { webhooks } = scene.twin;
    webhooks.hold();
    const words: string[] = [];
    expect(await hear(() => words.push(say(), say()))).toEqual([]);
    expect(await hear(webhooks.release)).toEqual(words);
  });

  it('release it in another order', async () => {
    const { webhooks } = scene.twin;
    webhooks.hold();
    const words = [say(), say(), say()];
    webhooks.reorder();
    expect(await hear(webhooks.release)).toEqual(words.reverse());
  });

  it('send the next one twice with one GUID', async () => {
    scene.twin.webhooks.duplicateNext();
    const heard = await hear(() => [say(), say()]);
    expect(heard.map(each => heard.filter(other => other === each).length)).toEqual([2, 2, 1]);
    const [first, second, third] = scene.receiver.received.slice(-3).map(each => each.guid);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  it('drop the next one, which shows as failed and can be delivered again', async () => {
    const { twin, asApp } = scene;
    twin.webhooks.dropNext();
    const words: string[] = [];
    expect(await hear(() => words.push(say(), say()))).toEqual([words[1]]);
    const { data } = await asApp.rest.apps.listWebhookDeliveries({ status: 'failure' } as never);
    expect(data[0]).toMatchObject({ event: 'issue_comment', action: 'created', redelivery: false });
    const again = await hear(() => void twin.webhooks.redeliver(data[0]?.id ?? 0));
    expect(again).toEqual([words[0]]);
    expect(scene.receiver.received.at(-1)?.guid).toBe(data[0]?.guid);
  });

  it('delay the next one, so that a later one overtakes it', async () => {
    scene.twin.webhooks.delayNext(150);
    const words: string[] = [];
    expect(await hear(() => words.push(say(), say()))).toEqual([words[1], words[0]]);
  });

  it('send without waiting for the answer to the one before', async () => {
    const { twin, receiver } = scene;
    receiver.answer = 'nothing';
    twin.webhooks.sendInParallel();
    const started = performance.now();
    expect(await hear(() => [say(), say(), say()])).toHaveLength(3);
    expect(performance.now() - started).toBeLessThan(2 * 1500);
  });
});

describe('a delivery', () => {
  it('is listed with what was sent and what came back', async () => {
    const { twin, asApp } = scene;
    await hear(say);
    const id = twin.deliveries.at(-1)?.id ?? 0;
    const { data } = await asApp.rest.apps.getWebhookDelivery({ delivery_id: id });
    expect(data).toMatchObject({
      status: 'OK',
      status_code: 202,
      installation_id: scene.installation.id,
      request: { payload: { action: 'created' } },
      response: { payload: 'noted' },
    });
  });

  it('that the app refused is delivered again with its GUID when the app asks for it', async () => {
    const { asApp, receiver } = scene;
    receiver.answer = 503;
    const [word] = await hear(say);
    receiver.answer = 202;
    const { data } = await asApp.rest.apps.listWebhookDeliveries({ per_page: 1 });
    expect(data[0]).toMatchObject({ status_code: 503 });
    await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id: data[0]?.id ?? 0 });
    await scene.twin.webhooks.settle();
    expect(receiver.received.at(-1)).toMatchObject({
      guid: data[0]?.guid,
      payload: { comment: { body: word } },
    });
    const { data: after } = await asApp.rest.apps.listWebhookDeliveries({ per_page: 2 });
    expect(after.map(each => [each.guid, each.redelivery])).toEqual([
      [data[0]?.guid, true],
      [data[0]?.guid, false],
    ]);
    expect(after[0]?.id).not.toBe(after[1]?.id);
  });

  it('that nobody answers in time has failed, and is not tried again by itself', async () => {
    scene.receiver.answer = 'nothing';
    const heard = await hear(say);
    expect(heard).toHaveLength(1);
    expect(scene.twin.deliveries.at(-1)).toMatchObject({ status: 'timed out', statusCode: 504 });
  });

  it('is reached by cursor, newest first, and kept for three days', async () => {
    const { twin, asApp } = scene;
    const tried = twin.deliveries.filter(each => each.state !== 'held').length;
    const all = await asApp.paginate(asApp.rest.apps.listWebhookDeliveries, { per_page: 3 });
    expect(all).toHaveLength(tried);
    expect(all.map(each => each.id)).toEqual([...twin.deliveries].map(each => each.id).reverse());
    twin.clock.advance(3 * 86_400_000 + 1000);
    expect((await asApp.rest.apps.listWebhookDeliveries()).data).toEqual([]);
  });
});

describe('who hears of an event', () => {
  it('is an app that subscribed to it and was granted it', async () => {
    const { twin } = scene;
    const common = { owner: 'mara', webhookUrl: null, privateKey: twin.app.privateKey };
    const deaf = twin.createApp({
      ...common,
      slug: 'deaf',
      permissions: { issues: 'read' },
      events: ['push'],
    });
    const barred = twin.createApp({
      ...common,
      slug: 'barred',
      permissions: { metadata: 'read' },
      events: ['issue_comment'],
    });
    const hears = twin.createApp({
      ...common,
      slug: 'hears',
      permissions: { issues: 'read' },
      events: ['issue_comment'],
    });
    for (const app of [deaf, barred, hears]) twin.installApp('acme/docs', app);
    await hear(say);
    const told = twin.deliveries.filter(each => each.event === 'issue_comment').map(each => each.app.slug);
    expect(new Set(told)).toEqual(new Set(['skillkeeper', 'hears']));
  });

  it('is nobody while suspended, though the suspension itself is told', async () => {
    const { twin, receiver, installation } = scene;
    twin.suspend(installation);
    expect(await hear(say).catch(String)).toEqual(expect.stringContaining('undefined'));
    expect(receiver.received.at(-1)?.payload.action).toBe('suspend');
    twin.unsuspend(installation);
    await twin.webhooks.settle();
  });
});

it('tells what people do to issues, pull requests and the repository', async () => {
  const { twin, receiver } = scene;
  const start = receiver.received.length;
  const issue = await twin.openIssue({ repo: 'acme/docs', author: 'rob' });
  await twin.editThread(issue, { title: 'Another title' }, 'rob');
  await twin.closeThread(issue, 'rob');
  await twin.reopenThread(issue, 'rob');
  await twin.push({ repo: 'acme/docs', branch: 'topic', author: 'mara', files: { 'a.md': 'a' } });
  const pull = await twin.openPullRequest({ repo: 'acme/docs', head: 'topic', author: 'mara', draft: true });
  await twin.markReady(pull, 'mara');
  await twin.editThread(pull, { body: 'Why' }, 'mara');
  await twin.closeThread(pull, 'mara');
  await twin.reopenThread(pull, 'mara');
  const comment = twin.comment({ repo: 'acme/docs', number, author: 'rob', body: 'first' });
  twin.editComment(comment, 'second', 'mara');
  twin.deleteComment(comment, 'rob');
  twin.rename('acme/docs', 'handbook');
  await twin.webhooks.settle();
  const names = receiver.received
    .slice(start)
    .map(({ event, payload }) => [event, payload.action].filter(Boolean).join('.'));
  expect(names).toEqual([
    ...['issues.opened', 'issues.edited', 'issues.closed', 'issues.reopened'],
    ...['push', 'check_suite.requested', 'pull_request.opened', 'pull_request.ready_for_review'],
    ...['pull_request.edited', 'pull_request.closed', 'pull_request.reopened'],
    ...['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted', 'repository.renamed'],
  ]);
  // The editor is the sender; the comment keeps its author.
  const edited = receiver.of('issue_comment', 'edited').at(-1)?.payload;
  expect([edited.sender.login, edited.comment.user.login, edited.changes.body.from]).toEqual([
    'mara',
    'rob',
    'first',
  ]);
});
