import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { secondaryRateLimit } from './http/faults.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
let token: string;
let number: number;
beforeAll(async () => {
  scene = await openScene();
  token = await scene.token();
  number = (await scene.twin.openIssue({ repo: 'acme/docs', author: 'rob' })).number;
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

it.each([403, 404, 422, 500, 502])('answers %i when told to, as often as told', async status => {
  scene.twin.failNext({
    method: 'GET',
    path: /^\/repos\/acme\/docs$/,
    status,
    times: 2,
    body: { message: 'No.' },
  });
  const answers = [];
  for (let index = 0; index < 3; index += 1) answers.push(await scene.call(token, '/repos/acme/docs'));
  expect(answers.map(each => each.status)).toEqual([status, status, 200]);
  expect(await answers[0]?.json()).toEqual({ message: 'No.' });
});

it('fails the method and path that were meant, and no other', async () => {
  scene.twin.failNext({ method: 'POST', path: /\/comments$/, status: 500 });
  expect((await scene.call(token, `/repos/acme/docs/issues/${number}/comments`)).status).toBe(200);
  const init = { method: 'POST', body: JSON.stringify({ body: 'Hello' }) };
  expect((await scene.call(token, `/repos/acme/docs/issues/${number}/comments`, init)).status).toBe(500);
  expect(scene.twin.comments('acme/docs', number)).toEqual([]);
});

it('speaks of a secondary rate limit in the words that client libraries look for', async () => {
  scene.twin.failNext({ path: /^\/repos\/acme\/docs$/, ...secondaryRateLimit(7) });
  const answer = await scene.call(token, '/repos/acme/docs');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([403, '7']);
  // https://github.com/octokit/plugin-throttling.js: `isSecondaryRateLimit = /\bsecondary rate\b/i`
  expect(await answer.json()).toMatchObject({ message: expect.stringMatching(/\bsecondary rate\b/i) });
});

it('hangs up, before the work or after it', async () => {
  const init = { method: 'POST', body: JSON.stringify({ body: 'Once' }) };
  const path = `/repos/acme/docs/issues/${number}/comments`;
  scene.twin.failNext({ path: /\/comments$/, reset: true });
  await expect(scene.call(token, path, init)).rejects.toThrow('fetch failed');
  expect(scene.twin.comments('acme/docs', number)).toHaveLength(0);
  scene.twin.failNext({ path: /\/comments$/, loseAnswer: true });
  await expect(scene.call(token, path, init)).rejects.toThrow('fetch failed');
  expect(scene.twin.comments('acme/docs', number)).toHaveLength(1);
  expect(scene.twin.requests.at(-1)?.status).toBe(0);
});

it('takes its time when told to', async () => {
  scene.twin.latency = 120;
  const started = performance.now();
  await scene.call(token, '/repos/acme/docs');
  expect(performance.now() - started).toBeGreaterThan(115);
  scene.twin.latency = 0;
});
