import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processes } from '../git/processes.ts';
import { hasRedisServer } from '../queues/start-redis.ts';
import {
  type BackendKind,
  deliveryOf,
  extractComment,
  openStage,
  REPO,
  type Stage,
  until,
} from './open-stage.ts';

const hasRedis = hasRedisServer();
const kinds: BackendKind[] = hasRedis ? ['embedded', 'redis'] : ['embedded'];
const MAIN = join(import.meta.dirname, '../../dist/src/app/main.js');

async function withStage(options: Parameters<typeof openStage>[0]): Promise<Stage> {
  const stage = await openStage(options);
  onTestFinished(() => stage.close(), 30_000);
  return stage;
}

const ask = (stage: Stage, number: number, section = 'Alpha') =>
  stage.twin.comment({ repo: REPO, number, author: 'mara', body: extractComment(section) });
const reactionsOn = (stage: Stage, id: number) =>
  stage.twin
    .reactions(id)
    .map(({ content }) => content)
    .sort();
const isOver = (stage: Stage, id: number) => reactionsOn(stage, id).some(content => content !== 'eyes');
const commitsOf = async (stage: Stage, branch: string) =>
  (await stage.twin.commits(REPO, branch)).filter(({ message }) => message.includes('Skillkeeper-Run:'));
const repliesOn = (stage: Stage, number: number) =>
  stage.twin.comments(REPO, number).filter(({ body }) => body.startsWith('<!-- skillkeeper:reply'));

describe.each(kinds)('a run, %s queue', backend => {
  it('that failed is told so, and told anew when its event is delivered again', async () => {
    const stage = await withStage({ backend });
    const pull = await stage.openPull('topic');
    await until('the check is there', () => stage.twin.checkRuns(REPO, pull.head).length > 0);
    stage.twin.failNext({ method: 'GET', path: /\/pulls\/\d+$/u, status: 403, body: { message: 'No.' } });
    const comment = ask(stage, pull.number);
    await until('it failed', () => isOver(stage, comment.id));
    expect(reactionsOn(stage, comment.id)).toEqual(['confused', 'eyes']);
    expect(repliesOn(stage, pull.number)[0]?.body).toContain('Not done: I tried');
    stage.twin.webhooks.redeliver(deliveryOf(stage, comment).id);
    await until('it was done', () => reactionsOn(stage, comment.id).includes('rocket'));
    expect(reactionsOn(stage, comment.id)).toEqual(['eyes', 'rocket']);
    expect(repliesOn(stage, pull.number)).toHaveLength(1);
    expect(repliesOn(stage, pull.number)[0]?.body).toContain('Status: SUCCESS');
    expect(await commitsOf(stage, 'topic')).toHaveLength(1);
  }, 120_000);

  it('that is under way at SIGTERM is finished, or handed to the next process', async () => {
    const stage = await withStage({ backend });
    const pull = await stage.openPull('topic');
    stage.twin.latency = 150;
    let requests = 0;
    const stopping = new Promise<number | null | undefined>(resolve => {
      stage.twin.tap(() => {
        requests += 1;
        if (requests === 8) resolve(stage.app?.end('SIGTERM'));
      });
    });
    const comment = ask(stage, pull.number);
    expect(await stopping).toBe(0);
    stage.twin.latency = 0;
    await stage.start('all');
    await until('it is over', () => isOver(stage, comment.id));
    expect(await commitsOf(stage, 'topic')).toHaveLength(1);
    expect(repliesOn(stage, pull.number)).toHaveLength(1);
  }, 120_000);

  it('leaves no token, key or secret in what the app says', async () => {
    const stage = await withStage({ backend });
    const pull = await stage.openPull('topic');
    stage.twin.failNext({ path: /git-upload-pack$/u, status: 500 });
    const leaked: string[] = [];
    stage.twin.tap((_method, path) => {
      if (!path.includes('.git/')) return; // while git runs, its arguments can be read by everybody on the machine
      leaked.push(
        ...processes().flatMap(({ commandLine }) => (commandLine.includes('ghs_') ? [commandLine] : [])),
      );
    });
    const comment = ask(stage, pull.number);
    await until('it is over', () => isOver(stage, comment.id));
    const { app } = stage.twin;
    for (const secret of ['ghs_', app.privateKey.split('\n')[1] ?? '', app.webhookSecret, 'x-access-token']) {
      expect(stage.app?.output()).not.toContain(secret);
    }
    expect(leaked).toEqual([]);
  }, 120_000);
});

describe('a fault in what is asked for ahead', () => {
  it.each([
    ['the token to push', /access_tokens$/u, 3],
    ['when the head came', /check-suites$/u, 1],
    ['the row of a run under way', /comments$/u, 1],
  ])(
    'does not end the process: %s',
    async (_what, path, times) => {
      const stage = await withStage({ backend: 'embedded' });
      const pull = await stage.openPull('topic');
      await until('the check is there', () => stage.twin.checkRuns(REPO, pull.head).length > 0);
      stage.twin.failNext({ path, status: 403, body: { message: 'No.' }, times });
      const comment = ask(stage, pull.number);
      await until('it is over', () => isOver(stage, comment.id));
      expect(stage.app?.child.exitCode).toBeNull();
      const again = ask(stage, pull.number);
      await until('the next one is over', () => isOver(stage, again.id));
      expect(stage.app?.child.exitCode).toBeNull();
    },
    120_000,
  );
});

describe.runIf(hasRedis)('several processes on one Redis', () => {
  it('share the work: each command once, in order per pull request', async () => {
    const stage = await withStage({ backend: 'redis', first: false });
    await stage.start('web');
    await Promise.all([stage.start('worker'), stage.start('worker')]);
    const pulls = [await stage.openPull('one'), await stage.openPull('two')];
    const comments = ['Alpha', 'Beta', 'Gamma'].flatMap(section =>
      pulls.map(pull => ask(stage, pull.number, section)),
    );
    for (const comment of comments) await until('it is over', () => isOver(stage, comment.id));
    for (const { branch } of pulls) {
      const subjects = (await commitsOf(stage, branch)).map(({ message }) => /"(\w+)"/u.exec(message)?.[1]);
      expect(subjects).toEqual(['Gamma', 'Beta', 'Alpha']);
    }
  }, 120_000);

  it('refuse events while the queue is down and take them up when they are sent again', async () => {
    const stage = await withStage({ backend: 'redis' });
    const pull = await stage.openPull('topic');
    await until('the check is there', () => stage.twin.checkRuns(REPO, pull.head).length > 0);
    await stage.redis?.kill();
    const comment = ask(stage, pull.number);
    await stage.twin.webhooks.settle();
    expect(deliveryOf(stage, comment).statusCode).toBe(503);
    expect((await fetch(`${stage.app?.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${stage.app?.url}/readyz`)).status).toBe(503);
    await stage.redis?.restart();
    await until(
      'the app is ready again',
      async () => (await fetch(`${stage.app?.url}/readyz`)).status === 200,
    );
    stage.twin.webhooks.redeliver(deliveryOf(stage, comment).id);
    await until('it is over', () => isOver(stage, comment.id));
    expect(await commitsOf(stage, 'topic')).toHaveLength(1);
  }, 120_000);
});

describe('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillkeeper-start-'));
  const start = (args: string[], env: Record<string, string>) =>
    spawnSync(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, PORT: '0', ...env },
      encoding: 'utf8',
      timeout: 4000,
    });

  it('without credentials offers to set the app up', () => {
    const { stdout } = start([], { PUBLIC_URL: 'https://skillkeeper.example.com' });
    expect(stdout).toMatch(
      /Skillkeeper has no app on GitHub yet\. Set it up here: https:\/\/skillkeeper\.example\.com\/\S*token=/u,
    );
    rmSync(folder, { recursive: true, force: true });
  });

  it('names every variable that is wrong, and what to do', () => {
    const { status, stderr } = start(['worker'], {
      APP_ID: 'x',
      WEBHOOK_SECRET: 'short',
      REDIS_URL: 'redis://127.0.0.1',
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^Skillkeeper can not start:\n/u);
    for (const name of ['APP_ID', 'WEBHOOK_SECRET', 'REDIS_URL', 'PRIVATE_KEY'])
      expect(stderr).toContain(`  ${name}`);
  });
});
