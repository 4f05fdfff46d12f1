import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '../../test/e2e/start-processes.ts';
import { startRedis } from '../../test/queues/start-redis.ts';
import { startTwin, type Twin } from '../../test/twin/start-twin.ts';
import { makeForge } from '../object-path/make-forge.ts';

export const REPO = 'acme/skills';
export const WRITER = 'mara';

export interface BenchApp {
  /** From now on the forge sends its webhooks here. */
  readonly listen: () => void;
  /** Everything it wrote. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface BenchStage {
  readonly twin: Twin;
  /** Starts the built app with a queue and a data directory of its own, both new. */
  readonly startApp: (backend: 'redis' | 'embedded') => Promise<BenchApp>;
  /** Opens a pull request that changes the README, once its webhooks are answered; gives its number. */
  readonly openPull: (branch: string, readme: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A forge with one repository of `files` files where the app is installed. Everything lies in `root`. */
export async function openBenchStage(root: string, files: number): Promise<BenchStage> {
  const made = await makeForge(join(root, 'made'), files);
  await made.server.close(); // the twin serves a copy of it
  const twin = await startTwin();
  twin.createOrganisation('acme');
  twin.createUser(WRITER);
  await twin.createRepository({ owner: 'acme', name: 'skills', from: made.repository.gitDirectory });
  twin.setRole(REPO, WRITER, 'write');
  twin.installApp(REPO);
  const apps = new Set<BenchApp>();
  let started = 0;
  return {
    twin,
    startApp: async backend => {
      const folder = join(root, `data-${++started}`);
      mkdirSync(folder);
      const app = await startApp(twin, folder, backend);
      apps.add(app);
      return { ...app, stop: () => (apps.delete(app) ? app.stop() : Promise.resolve()) };
    },
    openPull: async (branch, readme) => {
      await twin.push({ repo: REPO, branch, author: WRITER, files: { 'README.md': readme } });
      const { number } = await twin.openPullRequest({ repo: REPO, author: WRITER, head: branch });
      await twin.webhooks.settle();
      twin.clock.advance(2000); // a comment comes later than what it speaks of
      return number;
    },
    close: async () => {
      await Promise.all([...apps].map(app => app.stop()));
      await twin.close();
    },
  };
}

async function startApp(twin: Twin, folder: string, backend: 'redis' | 'embedded'): Promise<BenchApp> {
  const redis = backend === 'redis' ? await startRedis() : undefined;
  try {
    const app = await startProcess('all', {
      APP_ID: String(twin.app.id),
      PRIVATE_KEY: twin.app.privateKey,
      WEBHOOK_SECRET: twin.app.webhookSecret,
      SKILLKEEPER_SIGNING_KEY: 'a-signing-key-for-benches-of-32-characters',
      GITHUB_API_URL: twin.url,
      GITHUB_URL: new URL(twin.gitUrl(REPO)).origin,
      SKILLKEEPER_DATA_DIR: folder,
      ...(redis ? { QUEUE_REDIS_URL: redis.url } : {}),
    });
    return {
      listen: () => {
        twin.app.webhookUrl = `${app.url}/api/github/webhooks`;
      },
      output: app.output,
      stop: async () => {
        twin.app.webhookUrl = null;
        await app.end('SIGTERM');
        await redis?.stop();
      },
    };
  } catch (error) {
    await redis?.stop();
    throw error;
  }
}
