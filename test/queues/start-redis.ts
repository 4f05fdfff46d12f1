import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

export interface RedisServer {
  readonly url: string;
  /** Ends the server without a chance to say anything to its clients. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with what it had written down. */
  restart(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

/**
 * Whether this machine can start a Redis of its own. In CI something must be there; elsewhere the tests that need
 * one are skipped, loudly. Tests that end the server never use the one QUEUE_REDIS_URL points to.
 */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    const given = process.env.QUEUE_REDIS_URL;
    if (process.env.CI && !given)
      throw new Error('Install redis-server or set QUEUE_REDIS_URL: in CI no test is skipped.');
    const skipped = given ? 'tests that end a Redis' : 'tests of the queue on Redis';
    console.warn(`\n  redis-server is not installed: ${skipped} are SKIPPED.\n`);
    return false;
  }
}

/** Starts a real Redis on a free port, which writes every command to disk. */
export async function startRedis(...args: string[]): Promise<RedisServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'queue-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess;
  process.once('exit', () => server.kill('SIGKILL')); // a test that failed did not come to stop it
  const start = async () => {
    const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    server = spawn('redis-server', [...fixed, '--appendonly', 'yes', ...args], { stdio: 'ignore' });
    await answering(url);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  };
  await start();
  return {
    url,
    kill: () => end('SIGKILL'),
    restart: start,
    signal: name => void server.kill(name),
    async stop() {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch (cause) {
      if (attempt === 200) throw cause;
      await sleep(25);
    } finally {
      redis.disconnect();
    }
  }
}
