import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inCommentOrder } from '../../queues/comment-order.ts';
import { jobOptions } from '../../queues/job-options.ts';
import { parseJob } from '../../queues/jobs.ts';
import { checkRedis, readRedisInfo } from '../../queues/redis/check-redis.ts';
import { showRedisUrl } from '../../queues/redis/show-redis-url.ts';
import { retryDelay, retryOf } from '../../queues/retry-delay.ts';
import { Fault } from '../../src/fault/fault.ts';
import { aRun } from './sample-jobs.ts';

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const runId = fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/);

describe('job ids', () => {
  it('are such as BullMQ takes: no colon, no bare integer', () => {
    fc.assert(
      fc.property(id, id, runId, (repositoryId, commentId, aRunId) => {
        const acknowledged = jobOptions('acknowledge', { installationId: 1, repositoryId, commentId });
        const run = jobOptions('run', aRun(aRunId, { repositoryId }));
        for (const { jobId } of [acknowledged, run]) expect(jobId).toMatch(/^[a-z]+-[^:]+$/);
      }),
    );
  });

  it('never go together with a deduplication id', () => {
    const check = jobOptions('check', { kind: 'pull', installationId: 1, repositoryId: 42, pullNumber: 7 });
    expect(check).toMatchObject({ deduplication: { id: 'pull-42-7', keepLastIfActive: true } });
    expect(check).not.toHaveProperty('jobId');
  });
});

describe('payloads', () => {
  it('name every field that is wrong', () => {
    const wrong = { ...aRun('a'), commentId: '1', commandIndex: -1 };
    expect(() => parseJob('run', wrong)).toThrow(/commentId: .*commandIndex: /);
    expect(() =>
      parseJob('check', { kind: 'commit', installationId: 1, repositoryId: 2, headSha: 'main' }),
    ).toThrow(/headSha: not a commit id/);
    expect(() => parseJob('maintain', undefined)).toThrow(/"maintain" job \(/);
  });
});

describe('the wait before a retry', () => {
  it('doubles, is half chance, ends at a minute, and is none for a lost race', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 30 }), (baseMs, attempts) => {
        const most = Math.min(baseMs * 2 ** (attempts - 1), 60_000);
        const delay = retryDelay(baseMs, attempts, new Error('any'));
        expect(delay).toBeGreaterThanOrEqual(Math.floor(most / 2));
        expect(delay).toBeLessThanOrEqual(most);
        expect(retryDelay(baseMs, attempts, new Fault('c', 'm', { retry: 'now' }))).toBe(0);
      }),
    );
  });

  it('is taken when an error says nothing about retrying', () => {
    expect([new Error('any'), undefined, 'text', { retry: 'sometimes' }].map(retryOf)).toEqual(
      Array(4).fill('later'),
    );
    expect(retryOf(new Fault('c', 'm'))).toBe('never');
  });
});

describe('comment order', () => {
  it('is by comment, then by command, whatever the order of arrival', () => {
    const entry = fc.record({
      commentId: fc.integer({ min: 1, max: 9 }),
      commandIndex: fc.nat(5),
      jobId: runId,
    });
    fc.assert(
      fc.property(fc.array(entry), entries => {
        const sorted = inCommentOrder(entries);
        expect(inCommentOrder([...entries].reverse())).toEqual(sorted);
        for (const [n, next] of sorted.slice(1).entries()) {
          const before = sorted[n] ?? next;
          expect(before.commentId).toBeLessThanOrEqual(next.commentId);
          if (before.commentId === next.commentId) {
            expect(before.commandIndex).toBeLessThanOrEqual(next.commandIndex);
          }
        }
      }),
    );
  });
});

describe('the check of a Redis', () => {
  const info = (version: string, policy = 'noeviction') =>
    `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;

  it('reads what INFO says', () => {
    expect(readRedisInfo(info('7.0.15'))).toEqual({ version: '7.0.15', evictionPolicy: 'noeviction' });
  });

  it('refuses one that is too old', () => {
    const check = (version: string) => () =>
      checkRedis(readRedisInfo(info(version)), 'redis://r:6379', false);
    for (const old of ['5.0.14', '6.0.16', '2.8'])
      expect(check(old)).toThrow(/which runs Redis .*: the queue needs 6\.2 or newer/);
    for (const good of ['6.2.0', '7.0.15', '8.2.1', '10.0.0']) expect(check(good)).not.toThrow();
  });

  it('takes a volatile policy for evicting too: locks are keys with an end', () => {
    const facts = readRedisInfo(info('7.0.15', 'volatile-lru'));
    expect(() => checkRedis(facts, 'redis://r:6379', false)).toThrow(/"volatile-lru"/);
    expect(() => checkRedis(facts, 'redis://r:6379', true)).not.toThrow();
  });

  it('never shows a password', () => {
    expect(showRedisUrl('rediss://user:secret@queue.internal/2?tls=secret')).toBe(
      'rediss://queue.internal:6379/2',
    );
  });
});
