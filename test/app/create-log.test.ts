import { expect, it } from 'vitest';
import { createLog } from '../../src/app/create-log.ts';
import { readEnvironment } from '../../src/app/read-environment.ts';
import { PRIVATE_KEY, SECRET } from './ingress.ts';

const SIGNING = 'the signing key of these tests, 32 characters';
const environment = readEnvironment({
  APP_ID: '1',
  PRIVATE_KEY,
  WEBHOOK_SECRET: SECRET,
  SKILLKEEPER_SIGNING_KEY: SIGNING,
  QUEUE_REDIS_URL: 'redis://:password-of-redis@queue:6379',
});

it('masks every secret and whatever looks like a token, and still writes JSON', () => {
  if (environment.kind !== 'ready') throw new Error('not ready');
  const lines: string[] = [];
  const log = createLog(environment.settings, { write: line => lines.push(line) });
  const token = `ghs_4711_${'aZ9._-'.repeat(80)}`;
  log.info({ nested: { secret: SECRET, url: 'redis://:password-of-redis@queue' } }, `token ${token}`);
  log.error({ err: new Error(`bad ${SIGNING}`) }, 'authorization: bearer abc');
  log.warn({ key: environment.settings.privateKey }, 'a key');
  expect(lines).toHaveLength(3);
  const [first, second, third] = lines.map(line => JSON.parse(line));
  expect(first).toMatchObject({
    level: 30,
    nested: { secret: '***', url: 'redis://***@queue' },
    msg: 'token ***',
  });
  expect(second).toMatchObject({ err: { message: 'bad ***' }, msg: 'authorization: ***' });
  expect(third).toMatchObject({ key: '***' });
  for (const secret of [SECRET, SIGNING, token, 'password-of-redis'])
    expect(lines.join('')).not.toContain(secret);
});
