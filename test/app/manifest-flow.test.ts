import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Handle } from '../../src/app/answer.ts';
import { createManifestFlow } from '../../src/app/manifest-flow.ts';
import { readEnvironment, type Settings } from '../../src/app/read-environment.ts';
import { serveHttp } from '../../src/app/serve-http.ts';
import { scratchFolder } from '../git/scratch.ts';
import { startTwin, type Twin } from '../twin/start-twin.ts';

const scratch = scratchFolder();
let twin: Twin;
beforeAll(async () => {
  twin = await startTwin();
  twin.createUser('mara');
});
afterAll(() => twin.close());

let count = 0;

/** A server without an app, set up as `npm start` does it. */
async function startSetup(change: Record<string, string> = {}) {
  count += 1;
  const data = join(scratch, `data-${count}`);
  const variables: Record<string, string> = {
    SKILLKEEPER_DATA_DIR: data,
    GITHUB_URL: twin.url,
    GITHUB_API_URL: twin.url,
    ...change,
  };
  const routes = new Map<string, Handle>();
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: line => void logged.push(line) });
  const isReady = async () => ({ ready: false, reason: 'not set up' }) as const;
  const server = await serveHttp({ host: '127.0.0.1', port: 0, routes, isReady, log });
  onTestFinished(() => server.close(0));
  if (!('PUBLIC_URL' in change)) variables.PUBLIC_URL = server.url;
  if (change.PUBLIC_URL === '') delete variables.PUBLIC_URL;
  const environment = readEnvironment(variables);
  if (environment.kind !== 'unconfigured') throw new Error(JSON.stringify(environment));
  const configured: Settings[] = [];
  let now = Date.now();
  const { setupUrl, routes: served } = createManifestFlow({
    settings: environment.settings,
    localUrl: server.url,
    readAgain: () => readEnvironment(variables),
    onConfigured: async settings => {
      configured.push(settings);
      await server.close();
    },
    log,
    now: () => now,
  });
  for (const [path, handle] of served) routes.set(path, handle);
  const pass = (ms: number) => {
    now += ms;
  };
  return { url: server.url, setupUrl, data, logged, configured, pass, file: join(data, 'credentials.json') };
}

/** A browser that keeps its cookie and follows nothing by itself. */
function openBrowser(base: string) {
  let cookie = '';
  return async (path: string) => {
    const headers = cookie === '' ? {} : { cookie };
    const response = await fetch(new URL(path, base), { redirect: 'manual', headers });
    const set = response.headers.get('set-cookie');
    if (set !== null) cookie = set.split(';')[0] ?? '';
    return { status: response.status, headers: response.headers, set, html: await response.text() };
  };
}

async function unlock(setup: { url: string; setupUrl: string }) {
  const open = openBrowser(setup.url);
  const { search } = new URL(setup.setupUrl);
  const unlocked = await open(`/${search}`);
  return { open, unlocked, search, cookie: unlocked.set?.split(';')[0] ?? '' };
}

const stateIn = (html: string) => /\?state=([\w-]+)/.exec(html)?.[1] ?? '';
const decode = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const manifestIn = (html: string) =>
  JSON.parse(decode(/name="manifest" value="([^"]*)"/.exec(html)?.[1] ?? ''));

function submit() {
  return twin.submitManifest({
    slug: `keeper-${count}-${Math.random().toString(36).slice(2)}`,
    owner: 'mara',
    permissions: { metadata: 'read' },
    events: [],
    webhookUrl: null,
  });
}

describe('set-up', () => {
  it('takes an operator from the printed address to a configured server', async () => {
    const setup = await startSetup();
    const { open, unlocked, search } = await unlock(setup);
    expect([unlocked.status, unlocked.headers.get('location')]).toEqual([303, './']);
    expect(unlocked.set).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/);

    const page = await open('/');
    expect(page.status).toBe(200);
    expect(page.html).toContain(`action="${twin.url}/settings/apps/new?state=`);
    expect(manifestIn(page.html)).toMatchObject({
      name: 'Skillkeeper',
      hook_attributes: { url: `${setup.url}/api/github/webhooks`, active: true },
      redirect_url: `${setup.url}/setup/callback`,
      public: false,
      default_permissions: { contents: 'write', merge_queues: 'read' },
    });

    const code = submit();
    const done = await open(`/setup/callback?code=${code}&state=${stateIn(page.html)}`);
    expect([done.status, done.html]).toEqual([200, expect.stringContaining('/installations/new')]);
    await expect.poll(() => setup.configured).toHaveLength(1);
    expect(statSync(setup.file).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(setup.file, 'utf8')) as Record<string, string>;
    expect(kept.SKILLKEEPER_SIGNING_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(setup.configured[0]).toMatchObject({
      appId: Number(kept.APP_ID),
      webhookSecret: kept.WEBHOOK_SECRET,
      signingKey: kept.SKILLKEEPER_SIGNING_KEY,
    });
    const shown = page.html + done.html + setup.logged.join('');
    const secrets = [
      kept.WEBHOOK_SECRET,
      kept.SKILLKEEPER_SIGNING_KEY,
      'PRIVATE KEY',
      new URLSearchParams(search).get('token'),
      code,
    ];
    for (const secret of secrets) expect(shown).not.toContain(secret);
    twin.assertClean();
  });

  it('is closed to whoever has no token', async () => {
    const setup = await startSetup();
    const stranger = openBrowser(setup.url);
    for (const path of ['/', '/?token=guessed', '/?token=']) {
      const page = await stranger(path);
      expect([page.status, page.set]).toEqual([403, null]);
      expect(page.html).not.toContain('manifest');
    }
    const { open } = await unlock(setup);
    const state = stateIn((await open('/')).html);
    const stolen = await stranger(`/setup/callback?code=${submit()}&state=${state}`);
    expect(stolen.status).toBe(400);
    expect(existsSync(setup.file)).toBe(false);
  });

  it('accepts a state once, within the hour, in the browser it was made for', async () => {
    const setup = await startSetup();
    const { open } = await unlock(setup);
    const { open: other } = await unlock(setup);
    const state = stateIn((await open('/')).html);
    const callback = `/setup/callback?code=nothing&state=${state}`;
    expect((await other(callback)).status).toBe(400);
    expect((await open('/setup/callback?code=nothing&state=invented')).status).toBe(400);
    const first = await open(callback); // accepted; it is GitHub that refuses the code
    expect([first.status, first.html]).toEqual([502, expect.stringContaining('used or older than an hour')]);
    expect((await open(callback)).status).toBe(400);
    const late = stateIn((await open('/')).html);
    setup.pass(61 * 60 * 1000);
    expect((await open(`/setup/callback?code=nothing&state=${late}`)).status).toBe(400);
  });

  it('is over once it is done', async () => {
    const setup = await startSetup();
    const { open, search } = await unlock(setup);
    const [first, second] = [stateIn((await open('/')).html), stateIn((await open('/')).html)];
    const answers = await Promise.all(
      [first, second].map(state => open(`/setup/callback?code=${submit()}&state=${state}`)),
    );
    expect(answers.map(each => each.status).sort()).toEqual([200, 409]);
    await expect.poll(() => setup.configured).toHaveLength(1);
    await expect(open(`/${search}`)).rejects.toThrow(); // the server made room for the app
  });

  it('registers for an organisation', async () => {
    const { open } = await unlock(await startSetup());
    const page = await open('/?organisation=acme-docs');
    expect(page.html).toContain(`action="${twin.url}/organizations/acme-docs/settings/apps/new?state=`);
    const bad = await open(`/?organisation=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(bad.status).toBe(400);
    expect(bad.html).not.toContain('<script');
    expect(bad.html).toContain('&#60;script');
  });

  it('says what to set when GitHub could not reach it', async () => {
    const { open } = await unlock(await startSetup({ PUBLIC_URL: '' }));
    const page = await open('/');
    expect(page.html).toContain('Set PUBLIC_URL to the address');
    expect(page.html).toContain('set WEBHOOK_PROXY_URL');
    expect(page.html).not.toContain('<button class');
    const github = { GITHUB_URL: 'https://github.com', GITHUB_API_URL: 'https://api.github.com' };
    const { open: local } = await unlock(await startSetup(github));
    expect((await local('/')).html).toContain('PUBLIC_URL leads to this machine itself');
  });

  it('sends deliveries through the webhook proxy in development, and people to this machine', async () => {
    const setup = await startSetup({ PUBLIC_URL: '', WEBHOOK_PROXY_URL: 'https://smee.io/abc' });
    const { open } = await unlock(setup);
    expect(manifestIn((await open('/')).html)).toMatchObject({
      hook_attributes: { url: 'https://smee.io/abc' },
      redirect_url: `${setup.url}/setup/callback`,
    });
  });

  it('marks its cookie secure where the public address is https', async () => {
    const { unlocked } = await unlock(await startSetup({ PUBLIC_URL: 'https://keeper.example' }));
    expect(unlocked.set).toMatch(/; Secure$/);
  });

  it('runs no script and sends forms nowhere but to GitHub', async () => {
    const { open } = await unlock(await startSetup());
    const { headers, html } = await open('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-/,
    );
    expect(policy).toContain(`form-action 'self' ${twin.url}`);
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<script|\son\w+=|style="/);
  });

  it('asks for a folder it may write before it makes an app', async () => {
    const file = join(scratch, 'a-file');
    writeFileSync(file, '');
    const { open } = await unlock(await startSetup({ SKILLKEEPER_DATA_DIR: join(file, 'data') }));
    expect((await open('/')).html).toContain(
      'cannot be written (ENOTDIR). Set SKILLKEEPER_DATA_DIR to a folder',
    );
  });

  it('goes on when the browser is closed on the way', async () => {
    const setup = await startSetup();
    const { open, cookie } = await unlock(setup);
    const state = stateIn((await open('/')).html);
    twin.latency = 200;
    const signal = AbortSignal.timeout(50);
    const path = `${setup.url}/setup/callback?code=${submit()}&state=${state}`;
    await expect(fetch(path, { headers: { cookie }, signal })).rejects.toThrow();
    await expect.poll(() => setup.configured).toHaveLength(1);
    twin.latency = 0;
  });

  it('never writes over credentials that are there, and says what became of the app', async () => {
    const setup = await startSetup();
    const { open } = await unlock(setup);
    const state = stateIn((await open('/')).html);
    mkdirSync(setup.file, { recursive: true }); // something stands in the way
    const page = await open(`/setup/callback?code=${submit()}&state=${state}`);
    expect(page.status).toBe(500);
    expect(page.html).toContain('its credentials are lost');
    expect(setup.configured).toEqual([]);
  });
});
