import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openScene, QUIET, type Scene } from './scene.ts';

let scene: Scene;
let head: string;
let number: number;
beforeAll(async () => {
  scene = await openScene();
  const { twin } = scene;
  head = await twin.push({ repo: 'acme/docs', branch: 'topic', author: 'mara', files: { 'a.md': 'a' } });
  number = (await twin.openPullRequest({ repo: 'acme/docs', head: 'topic', author: 'mara' })).number;
  await twin.webhooks.settle();
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

const create = async (more: object = {}) => {
  const { asInstallation, repo } = scene;
  const { data } = await asInstallation.rest.checks.create({
    ...repo,
    name: 'Skillkeeper / drift',
    head_sha: head,
    ...more,
  });
  return data;
};

describe('a check run', () => {
  it('belongs to the suite that the push made, and knows its pull request', async () => {
    const [suite] = scene.twin.checkSuites('acme/docs', head);
    const run = await create();
    expect(run.check_suite?.id).toBe(suite?.id);
    expect(run).toMatchObject({ status: 'queued', conclusion: null, pull_requests: [{ number }] });
    expect(suite?.headBranch).toBe('topic');
  });

  it('is completed by a conclusion, adds annotations, and keeps its history', async () => {
    const { asInstallation, repo, twin, receiver } = scene;
    const run = await create({ status: 'in_progress', external_id: 'run-1' });
    const annotation = (line: number) => ({
      path: 'a.md',
      start_line: line,
      end_line: line,
      annotation_level: 'failure' as const,
      message: `line ${line}`,
    });
    const output = { title: 'Two', summary: 'Two findings.' };
    const where = { ...repo, check_run_id: run.id };
    await asInstallation.rest.checks.update({
      ...where,
      output: { ...output, annotations: [annotation(1)] },
    });
    const { data } = await asInstallation.rest.checks.update({
      ...where,
      conclusion: 'failure',
      output: { ...output, annotations: [annotation(2)] },
    });
    expect(data).toMatchObject({ status: 'completed', conclusion: 'failure', external_id: 'run-1' });
    expect(data.completed_at).not.toBeNull();
    const { data: annotations } = await asInstallation.rest.checks.listAnnotations(where);
    expect(annotations.map(each => each.message)).toEqual(['line 1', 'line 2']);
    const [kept] = twin.checkRuns('acme/docs', head);
    expect(kept?.history.map(each => each.status)).toEqual(['in_progress', 'in_progress', 'completed']);
    await twin.webhooks.settle();
    expect(receiver.of('check_run', 'completed').at(-1)?.payload.check_run.id).toBe(run.id);
  });

  it('can be changed by its own app alone', async () => {
    const { twin, repo } = scene;
    const other = twin.createApp({
      slug: 'other',
      owner: 'mara',
      permissions: { checks: 'write', metadata: 'read' },
      events: [],
      webhookUrl: null,
    });
    const { id } = twin.installApp('acme/docs', other);
    const run = await create();
    const auth = { appId: other.id, privateKey: other.privateKey, installationId: id };
    const stranger = new Octokit({ authStrategy: createAppAuth, baseUrl: twin.url, auth, log: QUIET });
    await expect(
      stranger.rest.checks.update({ ...repo, check_run_id: run.id, conclusion: 'success' }),
    ).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('can only be modified by the GitHub App that created it'),
    });
    await expect(
      new Octokit({ baseUrl: twin.url, auth: twin.tokenOf('mara'), log: QUIET }).rest.checks.create({
        ...repo,
        name: 'x',
        head_sha: head,
      }),
    ).rejects.toMatchObject({ status: 403 });
  });

  it('is listed by commit and by suite, the latest of each name unless all are wanted', async () => {
    const { asInstallation, repo } = scene;
    const first = await create({ name: 'twice' });
    const second = await create({ name: 'twice' });
    const where = { ...repo, ref: 'topic', check_name: 'twice' };
    const ids = async (filter: 'latest' | 'all') =>
      (await asInstallation.rest.checks.listForRef({ ...where, filter })).data.check_runs.map(
        each => each.id,
      );
    expect(await ids('latest')).toEqual([second.id]);
    expect(await ids('all')).toEqual([second.id, first.id]);
    const { data } = await asInstallation.rest.checks.listForSuite({
      ...repo,
      check_suite_id: first.check_suite?.id ?? 0,
      check_name: 'twice',
    });
    expect(data.check_runs.map(each => each.id)).toEqual([second.id]);
    const { data: suites } = await asInstallation.rest.checks.listSuitesForRef({
      ...repo,
      ref: head,
      app_id: scene.twin.app.id,
    });
    expect(suites.check_suites.map(each => each.head_sha)).toEqual([head]);
  });

  it('on a commit of a fork knows neither pull request nor branch', async () => {
    const { twin, asInstallation, repo, receiver } = scene;
    await twin.fork('acme/docs', 'rob');
    const sha = await twin.push({ repo: 'rob/docs', branch: 'patch', author: 'rob', files: { 'f.md': 'f' } });
    await twin.openPullRequest({ repo: 'acme/docs', head: 'rob:patch', author: 'rob' });
    const { data } = await asInstallation.rest.checks.create({ ...repo, name: 'on a fork', head_sha: sha });
    expect(data.pull_requests).toEqual([]);
    await twin.webhooks.settle();
    expect(receiver.of('check_run', 'created').at(-1)?.payload.check_run.check_suite).toMatchObject({
      head_branch: null,
      pull_requests: [],
    });
  });
});

describe('a person at a check', () => {
  it('presses a button, and the app learns which and who', async () => {
    const { twin, receiver } = scene;
    await create({
      name: 'with button',
      actions: [{ label: 'Sync bundle', description: 'Repair', identifier: 'sync' }],
    });
    const [run] = twin.checkRuns('acme/docs', head);
    if (run === undefined) throw new Error('no run');
    twin.clickButton(run, 'sync', 'rob');
    await twin.webhooks.settle();
    expect(receiver.of('check_run', 'requested_action').at(-1)?.payload).toMatchObject({
      requested_action: { identifier: 'sync' },
      sender: { login: 'rob' },
      check_run: { id: run.id },
    });
    expect(() => twin.clickButton(run, 'no-such', 'rob')).toThrow('no button no-such');
  });

  it('asks for one run or for the suite again', async () => {
    const { twin, receiver, asInstallation, repo } = scene;
    const [run] = twin.checkRuns('acme/docs', head);
    if (run === undefined) throw new Error('no run');
    await twin.rerequest(run, 'mara');
    await twin.rerequest(run.suite, 'mara');
    await asInstallation.rest.checks.rerequestRun({ ...repo, check_run_id: run.id });
    await twin.webhooks.settle();
    expect(receiver.of('check_run', 'rerequested').map(each => each.payload.sender.type)).toEqual([
      'User',
      'Bot',
    ]);
    expect(receiver.of('check_suite', 'rerequested').at(-1)?.payload.check_suite.id).toBe(run.suite.id);
  });
});

it('calls for checks on the head of a merge group', async () => {
  const { twin, receiver, asInstallation, repo } = scene;
  const group = await twin.mergeGroup(twin.thread('acme/docs', number), 'mara');
  await twin.webhooks.settle();
  const payload = receiver.of('merge_group', 'checks_requested').at(-1)?.payload;
  expect(payload.merge_group).toMatchObject({
    head_sha: group.headSha,
    base_sha: await twin.head('acme/docs', 'main'),
    base_ref: 'refs/heads/main',
    head_ref: expect.stringMatching(new RegExp(`^refs/heads/gh-readonly-queue/main/pr-${number}-`)),
  });
  const { data } = await asInstallation.rest.checks.create({
    ...repo,
    name: 'queue',
    head_sha: group.headSha,
    conclusion: 'success',
  });
  expect(data.head_sha).toBe(group.headSha);
});
