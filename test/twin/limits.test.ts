import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
let token: string;
let head: string;
let number: number;
beforeAll(async () => {
  scene = await openScene({ limits: { requestsPerHour: 60, contentPerMinute: 20 } });
  token = await scene.token();
  head = await scene.twin.head('acme/docs', 'main');
  number = (await scene.twin.openIssue({ repo: 'acme/docs', author: 'rob' })).number;
});
afterAll(() => scene.close());

const post = (path: string, body: unknown): Promise<Response> =>
  scene.call(token, `/repos/acme/docs${path}`, { method: 'POST', body: JSON.stringify(body) });
const comment = (body: string): Promise<Response> => post(`/issues/${number}/comments`, { body });
const run = (more: object): Promise<Response> =>
  post('/check-runs', { name: 'a check', head_sha: head, ...more });
const annotation = {
  path: 'README.md',
  start_line: 1,
  end_line: 1,
  annotation_level: 'notice',
  message: 'm',
};

describe('a comment', () => {
  it('holds 65,536 characters and not one more, an emoji being one', async () => {
    expect((await comment('x'.repeat(65_536))).status).toBe(201);
    expect((await comment('😀'.repeat(65_536))).status).toBe(201);
    const answer = await comment('x'.repeat(65_537));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      message: 'Validation Failed',
      errors: [{ message: 'body is too long (maximum is 65536 characters)' }],
    });
    scene.twin.assertClean(); // the published schema knows no such limit
  });

  it('cannot grow too long by an edit either, nor be blank', async () => {
    const [first] = scene.twin.comments('acme/docs', number);
    const answer = await scene.call(token, `/repos/acme/docs/issues/comments/${first?.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ body: 'x'.repeat(65_537) }),
    });
    expect(answer.status).toBe(422);
    expect((await comment('  ')).status).toBe(422);
  });
});

describe('a check run', () => {
  it('takes 50 annotations, 3 buttons, and texts of 65,535 characters', async () => {
    const button = { label: 'l'.repeat(20), description: 'd'.repeat(40), identifier: 'i'.repeat(20) };
    const output = {
      title: 't',
      summary: 's'.repeat(65_535),
      text: 'x'.repeat(65_535),
      annotations: Array.from({ length: 50 }, () => annotation),
    };
    expect((await run({ output, actions: [button, button, button] })).status).toBe(201);
    scene.twin.assertClean();
  });

  it.each([
    ['51 annotations', { output: { title: 't', summary: 's', annotations: Array(51).fill(annotation) } }],
    ['a summary of 65,536', { output: { title: 't', summary: 's'.repeat(65_536) } }],
    ['a text of 65,536', { output: { title: 't', summary: 's', text: 'x'.repeat(65_536) } }],
    ['a label of 21', { actions: [{ label: 'l'.repeat(21), description: 'd', identifier: 'i' }] }],
    ['a description of 41', { actions: [{ label: 'l', description: 'd'.repeat(41), identifier: 'i' }] }],
    ['an identifier of 21', { actions: [{ label: 'l', description: 'd', identifier: 'i'.repeat(21) }] }],
    ['4 buttons', { actions: Array(4).fill({ label: 'l', description: 'd', identifier: 'i' }) }],
    ['output without a summary', { output: { title: 't' } }],
    ['a conclusion nobody knows', { conclusion: 'fine' }],
  ])('refuses %s, and writes it down', async (_, more) => {
    expect((await run(more)).status).toBe(422);
    expect(scene.twin.takeViolations()).toMatchObject([{ kind: 'request' }]);
  });

  it('needs a commit that is there', async () => {
    expect((await post('/check-runs', { name: 'a', head_sha: 'f'.repeat(40) })).status).toBe(422);
    expect((await post('/check-runs', { name: 'a', head_sha: head, status: 'completed' })).status).toBe(422);
    scene.twin.assertClean();
  });
});

describe('what GitHub does not publish', () => {
  it('is not served, and says so', async () => {
    const answer = await scene.call(token, '/repos/acme/docs/stargazers');
    expect(answer.status).toBe(404);
    expect(JSON.stringify(await answer.json())).toContain('does not serve GET /repos/acme/docs/stargazers');
    expect(() => scene.twin.assertClean()).toThrow(/route GET \/repos\/acme\/docs\/stargazers/);
    scene.twin.takeViolations();
  });

  it('is no field and no parameter', async () => {
    expect((await post('/issues', { title: 'a', boddy: 'b' })).status).toBe(422);
    expect((await scene.call(token, '/repos/acme/docs/issues?sate=all')).status).toBe(422);
    const problems = scene.twin.takeViolations().map(each => each.problem);
    expect(problems).toEqual([expect.stringContaining('boddy'), expect.stringContaining('sate')]);
  });

  it('is no JSON', async () => {
    const answer = await scene.call(token, '/repos/acme/docs/issues', { method: 'POST', body: '{' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: 'Problems parsing JSON' });
    scene.twin.assertClean();
  });
});

it('answers an unchanged resource with 304, and counts nothing for it', async () => {
  const first = await scene.call(token, '/repos/acme/docs/contents/README.md');
  const held = { 'if-none-match': first.headers.get('etag') ?? '' };
  const second = await scene.call(token, '/repos/acme/docs/contents/README.md', { headers: held });
  expect([second.status, await second.text()]).toEqual([304, '']);
  expect(second.headers.get('x-ratelimit-used')).toBe(first.headers.get('x-ratelimit-used'));
  await scene.twin.push({
    repo: 'acme/docs',
    branch: 'main',
    author: 'mara',
    files: { 'README.md': 'New\n' },
  });
  const third = await scene.call(token, '/repos/acme/docs/contents/README.md', { headers: held });
  expect(third.status).toBe(200);
});

it('tells a request id and what is left of the hour', async () => {
  const answer = await scene.call(token, '/repos/acme/docs');
  expect(answer.headers.get('x-github-request-id')).toMatch(/^[0-9A-F:]+$/);
  const figure = (name: string): number => Number(answer.headers.get(`x-ratelimit-${name}`));
  expect(figure('limit')).toBe(60);
  expect(figure('used') + figure('remaining')).toBe(60);
  expect(figure('reset') * 1000 - scene.twin.clock.now()).toBeGreaterThan(59 * 60_000);
  const { rate } = (await (await scene.call(token, '/rate_limit')).json()) as { rate: { used: number } };
  expect(rate.used).toBe(figure('used')); // asking costs nothing
});

it('pages thirty at a time, a hundred at most, and links the pages', async () => {
  for (let index = 0; index < 120; index += 1) {
    scene.twin.comment({ repo: 'acme/docs', number, author: 'rob', body: `comment ${index}` });
  }
  const path = `/repos/acme/docs/issues/${number}/comments`;
  const pages = async (query: string): Promise<[number, string | null]> => {
    const answer = await scene.call(token, `${path}${query}`);
    return [((await answer.json()) as unknown[]).length, answer.headers.get('link')];
  };
  const url = `${scene.twin.url}${path}`;
  const total = scene.twin.comments('acme/docs', number).length;
  expect(await pages('')).toEqual([30, `<${url}?page=2>; rel="next", <${url}?page=5>; rel="last"`]);
  expect((await pages('?per_page=500'))[0]).toBe(100);
  const [count, links] = await pages('?per_page=100&page=2');
  expect(count).toBe(total - 100);
  expect(links).toBe(`<${url}?per_page=100&page=1>; rel="prev", <${url}?per_page=100&page=1>; rel="first"`);
  const all = await scene.asInstallation.paginate(scene.asInstallation.rest.issues.listComments, {
    ...scene.repo,
    issue_number: number,
  });
  expect(all).toHaveLength(total);
});

it('limits how much content is created in a minute', async () => {
  scene.twin.clock.advance(60_000);
  const answers = [];
  for (let index = 0; index < 21; index += 1) answers.push(await comment(`number ${index}`));
  expect(answers.slice(0, 20).every(each => each.status === 201)).toBe(true);
  expect(answers[20]?.status).toBe(403);
  expect(answers[20]?.headers.get('retry-after')).toBe('60');
  expect(await answers[20]?.json()).toMatchObject({
    message: expect.stringContaining('secondary rate limit'),
  });
});

it('refuses what goes beyond the hour, until the hour is over', async () => {
  let answer = await scene.call(token, '/repos/acme/docs');
  for (let index = 0; index < 60 && answer.status === 200; index += 1) {
    answer = await scene.call(token, '/repos/acme/docs');
  }
  expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
  expect(await answer.json()).toMatchObject({
    message: `API rate limit exceeded for installation ID ${scene.installation.id}.`,
  });
  scene.twin.clock.advance(3_600_000);
  const fresh = await scene.token();
  expect((await scene.call(fresh, '/repos/acme/docs')).status).toBe(200);
});
