import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratchFolder } from '../git/scratch.ts';
import { deliver, startIngress } from './ingress.ts';

const scratch = scratchFolder();

it('neither connects to REDIS_URL nor fetches a package for it', async () => {
  const connected = vi.fn();
  const redis = createServer(socket => socket.destroy(connected()));
  await new Promise<void>(resolve => redis.listen(0, '127.0.0.1', resolve));
  const { port } = redis.address() as { port: number };
  const tools = join(scratch, 'tools');
  mkdirSync(tools);
  for (const tool of ['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx']) {
    writeFileSync(join(tools, tool), `#!/bin/sh\ntouch '${join(scratch, 'fetched')}'\n`);
    chmodSync(join(tools, tool), 0o755);
  }
  const redisUrl = `redis://127.0.0.1:${port}`;
  vi.stubEnv('REDIS_URL', redisUrl);
  vi.stubEnv('PATH', `${tools}${delimiter}${process.env.PATH}`);
  try {
    const { url } = await startIngress(app => app.on('push', async () => {}));
    expect((await deliver(url, { name: 'push', payload: { installation: { id: 7 } } })).status).toBe(202);
    expect(process.env.REDIS_URL).toBe(redisUrl);
    expect(connected).not.toHaveBeenCalled();
    expect(existsSync(join(scratch, 'fetched'))).toBe(false);
  } finally {
    vi.unstubAllEnvs();
    redis.close();
  }
});

it('lets handlers listen to one action of an event', async () => {
  const seen: string[] = [];
  const { url } = await startIngress(app =>
    app.on('issue_comment.created', async ({ payload }) => void seen.push(payload.comment.body)),
  );
  const comment = { body: '/verify' };
  await deliver(url, { name: 'issue_comment', payload: { action: 'created', comment } });
  await deliver(url, { name: 'issue_comment', payload: { action: 'edited', comment } });
  expect(seen).toEqual(['/verify']);
});
