import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ForgeScene, openForgeScene } from './forge-scene.ts';

let scene: ForgeScene;
const tokens: string[] = [];
const jwts: string[] = [];
beforeAll(async () => {
  scene = await openForgeScene();
});
afterAll(() => scene.close());

/** Sees what goes over the wire, as a proxy would. */
const watching: typeof fetch = async (input, init) => {
  const authorization = new Headers(init?.headers).get('authorization') ?? '';
  const credential = authorization.replace(/^\w+ /, '');
  if (credential !== '') (credential.startsWith('eyJ') ? jwts : tokens).push(credential);
  return fetch(input, init);
};

/** A server, or a proxy before it, that repeats the secrets it was sent. */
const repeating = (status: number): typeof fetch => {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (String(input).endsWith('/access_tokens')) return watching(input, init);
    await watching(input, init);
    const said = headers.get('authorization') ?? '';
    const bare = said.replace(/^\w+ /, '');
    const encoded = Buffer.from(`x-access-token:${bare}`).toString('base64');
    const message = `refused: ${said}, that is ${bare}, or ${encoded}`;
    return Response.json({ message }, { status, headers: { 'x-github-request-id': 'A:1' } });
  };
};

it.each([401, 403, 422, 500])(
  'no secret stands in a fault, its cause or the log after a %i',
  async status => {
    const forge = await scene.another({ fetch: repeating(status) });
    const fault = await forge.thread(1).catch((error: unknown) => error);
    const text = [
      inspect(fault, { depth: 20, showHidden: true }),
      JSON.stringify(fault),
      ...scene.logged,
    ].join('\n');
    expect(text).toMatch(/refused: .*\*\*\*/);
    for (const secret of [...tokens, ...jwts, scene.twin.app.privateKey]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(-40));
      expect(text).not.toContain(Buffer.from(`x-access-token:${secret}`).toString('base64').slice(30, 90));
    }
    expect(tokens.length).toBeGreaterThan(0);
  },
);

it('nor when the connection breaks with the secret in its message', async () => {
  const forge = await scene.another({
    fetch: async (input, init) => {
      if (String(input).endsWith('/access_tokens')) return watching(input, init);
      throw new TypeError('fetch failed', {
        cause: new Error(`sent ${new Headers(init?.headers).get('authorization')}`),
      });
    },
  });
  const fault = await forge.thread(1).catch((error: unknown) => error);
  const text = [inspect(fault, { depth: 20, showHidden: true }), ...scene.logged].join('\n');
  expect(text).toContain('sent ');
  for (const secret of tokens) expect(text).not.toContain(secret.slice(-40));
});

it('writes down what was asked, how it ended and how long it took', async () => {
  scene.logged.length = 0;
  await scene.forge.thread(1);
  const entries = scene.logged.map(entry => JSON.parse(entry));
  expect(entries).toContainEqual({
    fields: {
      method: 'GET',
      path: '/repos/acme/docs/issues/1',
      milliseconds: expect.any(Number),
      status: 200,
      requestId: expect.any(String),
    },
    message: 'GitHub answered',
  });
});
