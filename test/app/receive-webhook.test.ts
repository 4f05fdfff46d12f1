import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Fault } from '../../src/fault/fault.ts';
import { deliver, SECRET, speak, startIngress } from './ingress.ts';

const ignore = () => {};

describe('a delivery', () => {
  it('is handed over with its id, name and payload, and answered 202', async () => {
    const seen: unknown[] = [];
    const { url, remembered } = await startIngress(app =>
      app.onAny(async ({ id, name, payload }) => void seen.push({ id, name, payload })),
    );
    const { status, body } = await deliver(url, {
      id: 'a-1',
      name: 'push',
      payload: { ref: 'refs/heads/é' },
    });
    expect([status, body.status]).toEqual([202, 'accepted']);
    expect(seen).toEqual([{ id: 'a-1', name: 'push', payload: { ref: 'refs/heads/é' } }]);
    expect([...remembered]).toEqual(['a-1']);
  });

  it('is refused with 503 while the queue is down, and taken when it is delivered again', async () => {
    let isDown = true;
    const { url, remembered } = await startIngress(app =>
      app.onAny(async () => {
        if (isDown) throw new Fault('queue-unreachable', 'Redis does not answer', { retry: 'later' });
      }),
    );
    const id = randomUUID();
    const refused = await deliver(url, { id, payload: { body: 'a private sentence' } });
    expect([refused.status, refused.body.error]).toEqual([503, 'queue-unreachable']);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(remembered.size).toBe(0);
    isDown = false;
    expect((await deliver(url, { id })).body.status).toBe('accepted');
  });

  it('is refused with 503 when the queue takes too long', async () => {
    const { url } = await startIngress(app => app.onAny(() => sleep(300)), { budgetMs: 50 });
    const { status, body } = await deliver(url);
    expect([status, body.error]).toEqual([503, 'queue-too-slow']);
  });

  it('is answered 500 when a handler fails, without a word of why to the outside', async () => {
    const { url, remembered, log } = await startIngress(app =>
      app.onAny(async () => {
        throw new Error('a bug of ours');
      }),
    );
    const { status, body } = await deliver(url);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('a bug of ours');
    expect(log.join('')).toContain('a bug of ours');
    expect(remembered.size).toBe(0);
  });

  it('asks nothing of GitHub while it is taken', async () => {
    const asked = vi.fn();
    const github = createServer((_, response) => response.end(void asked()));
    await new Promise<void>(resolve => github.listen(0, '127.0.0.1', resolve));
    const { port } = github.address() as { port: number };
    const { url } = await startIngress(app => app.on('issue_comment', async () => {}), {
      githubApiUrl: `http://127.0.0.1:${port}`,
    });
    const payload = { action: 'created', installation: { id: 7 }, comment: { body: '/verify' } };
    expect((await deliver(url, { name: 'issue_comment', payload })).status).toBe(202);
    expect(asked).not.toHaveBeenCalled();
    github.close();
  });

  it('leaves no body and no secret in the log, however it ends', async () => {
    const { url, log } = await startIngress(app =>
      app.onAny(async ({ id }) => {
        if (id === 'fails') throw new Error('a bug of ours');
      }),
    );
    const payload = { body: 'a private sentence', installation: { id: 7 } };
    await deliver(url, { id: 'works', payload });
    await deliver(url, { id: 'fails', payload });
    await deliver(url, { payload, secret: 'a wrong secret of the right length!!' });
    await deliver(url, { payload: '{"body": "a private sentence"' });
    expect(log.length).toBeGreaterThan(2);
    expect(log.join('')).not.toContain('a private sentence');
    expect(log.join('')).not.toContain(SECRET);
  });

  it('passes for every recorded webhook of GitHub', async () => {
    const require = createRequire(import.meta.url);
    const recorded = ['api.github.com', 'ghes-35'].flatMap(
      set =>
        require(`@octokit/webhooks-examples/${set}/index.json`) as { name: string; examples: object[] }[],
    );
    const seen: string[] = [];
    const { url } = await startIngress(app => app.onAny(async ({ name }) => void seen.push(name)));
    for (const { name, examples } of recorded)
      for (const payload of examples) {
        const { status } = await deliver(url, { name, payload });
        expect([name, status]).toEqual([name, 202]);
      }
    expect(seen).toHaveLength(recorded.reduce((sum, { examples }) => sum + examples.length, 0));
    expect(new Set(seen).size).toBeGreaterThan(50);
  });
});

describe('a signature', () => {
  it('of another secret is refused', async () => {
    const { url } = await startIngress(ignore);
    const { status, body } = await deliver(url, { secret: 'a wrong secret of the right length!!' });
    expect([status, body.error]).toEqual([401, 'bad-signature']);
    expect(body.message).toContain('WEBHOOK_SECRET_PREVIOUS');
  });

  it('of the previous secret is accepted while both are known', async () => {
    const previous = 'the secret that was there before it';
    const { url } = await startIngress(ignore, { secrets: [SECRET, previous] });
    expect((await deliver(url, { secret: previous })).status).toBe(202);
    expect((await deliver(url)).status).toBe(202);
    expect((await deliver(url, { secret: 'a wrong secret of the right length!!' })).status).toBe(401);
  });

  it('counts over the bytes as they came', async () => {
    const { url } = await startIngress(ignore);
    expect((await deliver(url, { payload: '{ "a" :1.0,  "b":"\\u00e9é" }\n' })).status).toBe(202);
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]); // {"<not UTF-8>":1}
    const replaced = createHmac('sha256', SECRET).update(bytes.toString('utf8')).digest('hex');
    const response = await fetch(url, {
      method: 'POST',
      body: bytes,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': 'b-1',
        'x-hub-signature-256': `sha256=${replaced}`,
      },
    });
    expect(response.status).toBe(401);
  });
});

describe('a request that is no delivery', () => {
  it.each(['x-github-event', 'x-github-delivery', 'x-hub-signature-256'])(
    'without %s names it',
    async name => {
      const { url } = await startIngress(ignore);
      const { status, body } = await deliver(url, { headers: { [name]: '' } });
      expect([status, body.message]).toEqual([400, `The header ${name} is missing.`]);
    },
  );

  it.each([
    ['x-github-event', '../push'],
    ['x-github-delivery', 'a:b c'],
    ['x-hub-signature-256', 'sha1=abc'],
  ])('with a malformed %s is refused', async (name, value) => {
    const { url } = await startIngress(ignore);
    const { status, body } = await deliver(url, { headers: { [name]: value } });
    expect([status, body.error]).toEqual([400, 'bad-header']);
  });

  it('is refused when it is no POST or no JSON by its type', async () => {
    const { url } = await startIngress(ignore);
    const get = await deliver(url, { method: 'GET' });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const posted = await deliver(url, { headers: form });
    expect(posted.status).toBe(415);
    expect(posted.body.message).toContain('"application/json" as the content type of the webhook');
    const charset = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await deliver(url, { headers: charset })).status).toBe(202);
  });

  it('is refused when it is for another app', async () => {
    const { url } = await startIngress(ignore);
    const headers = { 'x-github-hook-installation-target-id': '4712' };
    const { status, body } = await deliver(url, { headers });
    expect(status).toBe(400);
    expect(body.message).toMatch(/for 4712, and this is the app 4711/);
    expect((await deliver(url, { headers: { 'x-github-hook-installation-target-id': '' } })).status).toBe(
      202,
    );
  });

  it.each(['not json', '[]', 'null', '"text"'])('is refused when its signed body is %s', async payload => {
    const { url } = await startIngress(ignore);
    const { status, body } = await deliver(url, { payload });
    expect([status, body.error]).toEqual([400, 'bad-json']);
  });
});

describe('a body', () => {
  it('of 25 MiB is read', async () => {
    const { url } = await startIngress(ignore);
    const rest = 25 * 1024 * 1024 - JSON.stringify({ a: '' }).length;
    expect((await deliver(url, { payload: { a: 'x'.repeat(rest) } })).status).toBe(202);
  });

  it('that announces more is refused before a byte of it is read', async () => {
    const { port } = await startIngress(ignore);
    const { answer } = await speak(port, [`content-length: ${25 * 1024 * 1024 + 1}`], () => {});
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('that turns out to be more is refused, and the rest is not read', async () => {
    const { port } = await startIngress(ignore);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const { answer, sent } = await speak(port, ['transfer-encoding: chunked'], send => {
      const more = () => {
        while (sentSoFar < 200 * 1024 * 1024) {
          sentSoFar += chunk.length;
          if (!send(chunk)) break;
        }
        timer = setTimeout(more, 1);
      };
      let sentSoFar = 0;
      let timer = setTimeout(more, 0);
      setTimeout(() => clearTimeout(timer), 3000);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(60 * 1024 * 1024);
  });

  it('that comes drop by drop is cut off', async () => {
    const { port } = await startIngress(ignore, { bodyTimeoutMs: 200 });
    let drops: NodeJS.Timeout | undefined;
    const { answer } = await speak(port, ['content-length: 1000'], send => {
      drops = setInterval(() => send('x'), 20);
    });
    clearInterval(drops);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('whose sender goes away is forgotten', async () => {
    const { port, url } = await startIngress(ignore);
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n' +
        `x-github-event: push\r\nx-github-delivery: d\r\nx-hub-signature-256: sha256=${'0'.repeat(64)}\r\n\r\n{`,
    );
    await sleep(50);
    socket.destroy();
    await sleep(50);
    expect((await deliver(url)).status).toBe(202);
  });
});
