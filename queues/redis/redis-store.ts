import type { Redis } from 'ioredis';
import type { QueueStore } from '../backend.ts';
import { inCommentOrder, type StoredEntry } from '../comment-order.ts';

/** A line nobody joined for this long is forgotten whole. */
const LINE_TTL_MS = 7 * 24 * 3600 * 1000;

/* A claim's value is `owner|token`. Compare and act in one script, or two workers could both believe it theirs. */
const CLAIM = `
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. '|' then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. '|' .. ARGV[2], 'PX', ARGV[3])
return 1`;
const RENEW = `
local held = redis.call('GET', KEYS[1])
if not held or string.sub(held, -#ARGV[1] - 1) ~= '|' .. ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, -#ARGV[1] - 1) == '|' .. ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`;

/** The store in Redis: plain keys for what is remembered and claimed, one hash per line. */
export function openRedisStore(redis: Redis, namespace: string): QueueStore {
  const named = (kind: string, key: string) => `${namespace}:${kind}:${key}`;
  return {
    async remember(key, value, ttlMs) {
      const name = named('known', key);
      const answer =
        ttlMs === undefined
          ? await redis.set(name, value, 'NX')
          : await redis.set(name, value, 'PX', ttlMs, 'NX');
      return answer === 'OK';
    },
    async recall(key) {
      return (await redis.get(named('known', key))) ?? undefined;
    },
    async claim(key, owner, token, ttlMs) {
      return (await redis.eval(CLAIM, 1, named('claim', key), owner, token, ttlMs)) === 1;
    },
    async isClaimed(key) {
      return (await redis.exists(named('claim', key))) === 1;
    },
    async renew(key, token, ttlMs) {
      return (await redis.eval(RENEW, 1, named('claim', key), token, ttlMs)) === 1;
    },
    async release(key, token) {
      await redis.eval(RELEASE, 1, named('claim', key), token);
    },
    async joinLine(line, { jobId, commentId, commandIndex }) {
      const name = named('line', line);
      await redis
        .multi()
        .hsetnx(name, jobId, JSON.stringify({ commentId, commandIndex, joinedAt: Date.now() }))
        .pexpire(name, LINE_TTL_MS)
        .exec();
    },
    async leaveLine(line, jobId) {
      await redis.hdel(named('line', line), jobId);
    },
    async readLine(line) {
      const entries = Object.entries(await redis.hgetall(named('line', line)));
      return inCommentOrder(
        entries.map(([jobId, value]) => ({ jobId, ...(JSON.parse(value) as StoredEntry) })),
      );
    },
  };
}
