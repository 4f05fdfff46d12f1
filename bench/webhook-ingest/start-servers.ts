import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../test/e2e/start-processes.ts';
import { startRedis } from '../../test/queues/start-redis.ts';
import { APP_ID, SECRET } from './make-delivery.ts';
import type { Target } from './send-deliveries.ts';

export interface Server extends Target {
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** The built app as it runs in production, the side that takes webhooks alone, over a Redis of its own. */
export async function startWeb(dataDirectory: string): Promise<Server> {
  const redis = await startRedis();
  try {
    const app = await startProcess('web', {
      APP_ID: String(APP_ID),
      PRIVATE_KEY: newKey(),
      WEBHOOK_SECRET: SECRET,
      SKILLKEEPER_SIGNING_KEY: 'a-signing-key-for-benches-of-32-characters',
      SKILLKEEPER_DATA_DIR: dataDirectory,
      QUEUE_REDIS_URL: redis.url,
    });
    const stop = async (): Promise<void> => {
      await app.end('SIGTERM');
      await redis.stop();
    };
    return { url: `${app.url}/api/github/webhooks`, status: 202, pid: app.child.pid ?? 0, stop };
  } catch (error) {
    await redis.stop();
    throw error;
  }
}

/** Probot alone. */
export async function startBareProbot(): Promise<Server> {
  const file = fileURLToPath(new URL('./bare-probot.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    env: { PATH: process.env.PATH, PRIVATE_KEY: newKey() },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [said] = await Promise.race([
    once(child.stdout, 'data'),
    exited.then(([code]) => Promise.reject(new Error(`bare Probot ended with ${code}`))),
  ]);
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  return { url: String(said).trim(), status: 200, pid: child.pid ?? 0, stop };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}
