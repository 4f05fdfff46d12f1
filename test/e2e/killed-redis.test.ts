import { it } from 'vitest';
import { hasRedisServer } from '../queues/start-redis.ts';
import { killBetweenSteps } from './kill-between-steps.ts';

it.runIf(hasRedisServer())(
  'a worker killed between any two steps leaves one commit and one answer, redis queue',
  async () => {
    await killBetweenSteps('redis');
  },
  400_000,
);
