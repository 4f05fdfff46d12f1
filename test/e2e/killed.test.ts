import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../queues/start-redis.ts';
import { type BackendKind, extractComment, openStage, REPO, type Stage, until } from './open-stage.ts';
import type { AppProcess } from './start-processes.ts';

const kinds: BackendKind[] = hasRedisServer() ? ['embedded', 'redis'] : ['embedded'];

/*
 * Every step of a run that anybody else can see is a request to the forge. The worker is killed the moment its n-th
 * request of a run arrives: the forge does what was asked, the worker never hears of it. Over all n this is a death
 * between every two steps.
 */
describe.each(kinds)('a worker killed between any two steps, %s queue', backend => {
  let stage: Stage;
  let worker: AppProcess;
  const role = backend === 'redis' ? 'worker' : 'all';
  beforeAll(async () => {
    stage = await openStage({ backend, first: false });
    if (backend === 'redis') await stage.start('web');
    worker = await stage.start(role);
  }, 60_000);
  afterAll(async () => {
    await stage?.close();
  }, 30_000);

  async function run(
    branch: string,
    killAt: number,
  ): Promise<{ readonly requests: number; readonly wasKilled: boolean }> {
    const { twin } = stage;
    const pull = await stage.openPull(branch);
    await until(
      `the check is there (kill at ${killAt})\n${worker.output()}`,
      () => twin.checkRuns(REPO, pull.head).length > 0,
    );
    let requests = 0;
    let killed: Promise<unknown> | undefined;
    const untap = twin.tap(() => {
      requests += 1;
      if (requests === killAt) killed = worker.end('SIGKILL');
    });
    const comment = twin.comment({
      repo: REPO,
      number: pull.number,
      author: 'mara',
      body: extractComment('Alpha'),
    });
    const reactions = () => twin.reactions(comment.id).map(({ content }) => content);
    const isOver = () => reactions().length === 2 && reactions().some(content => content !== 'eyes');
    await until('it ended or was killed', () => killed !== undefined || isOver(), 30_000);
    if (killed) {
      await killed;
      worker = await stage.start(role);
      await until(`it ended after the kill at request ${killAt}\n${worker.output()}`, isOver, 30_000);
    }
    untap();
    await twin.webhooks.settle();
    const ours = twin.comments(REPO, pull.number).filter(({ author }) => author.login.endsWith('[bot]'));
    expect({
      killAt,
      commits: (await twin.commits(REPO, branch)).filter(({ message }) =>
        message.includes('Skillkeeper-Run:'),
      ).length,
      replies: ours.filter(({ body }) => body.includes('skillkeeper:reply')).length,
      stickies: ours.filter(({ body }) => body.includes('skillkeeper:sticky')).length,
      reactions: reactions().sort(),
    }).toEqual({ killAt, commits: 1, replies: 1, stickies: 1, reactions: ['eyes', 'rocket'] });
    return { requests, wasKilled: killed !== undefined };
  }

  it('leaves exactly one commit and one answer', async () => {
    const { requests } = await run('clean', Number.POSITIVE_INFINITY);
    expect(requests).toBeGreaterThan(15);
    for (let killAt = 1; killAt <= requests; killAt += 1) await run(`killed-${killAt}`, killAt);
  }, 400_000);
});
