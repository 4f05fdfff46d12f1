import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCredentialsFile, writeCredentialsFile } from '../../src/app/credentials-file.ts';
import { describeEnvironment } from '../../src/app/describe-environment.ts';
import { type Environment, readEnvironment } from '../../src/app/read-environment.ts';
import { scratchFolder } from '../git/scratch.ts';

const scratch = scratchFolder();
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PKCS1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const PKCS8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const SECRET = 's3cret-'.repeat(6);
const SIGNING = 'signing-'.repeat(6);

const NOTHING = { SKILLKEEPER_DATA_DIR: join(scratch, 'nothing') };
const GOOD = {
  ...NOTHING,
  APP_ID: '4711',
  PRIVATE_KEY: PKCS1,
  WEBHOOK_SECRET: SECRET,
  SKILLKEEPER_SIGNING_KEY: SIGNING,
};

function problemsOf(variables: Record<string, string | undefined>, args: string[] = []): readonly string[] {
  const environment = readEnvironment(variables, args);
  return environment.kind === 'invalid' ? environment.problems : [];
}

function settingsOf(environment: Environment) {
  if (environment.kind !== 'ready') throw new Error(JSON.stringify(environment));
  return environment.settings;
}

describe('the environment', () => {
  it('is ready with four credentials, and has a default for the rest', () => {
    expect(settingsOf(readEnvironment(GOOD))).toEqual({
      role: 'all',
      host: '127.0.0.1',
      port: 3000,
      publicUrl: undefined,
      webhookProxyUrl: undefined,
      githubUrl: 'https://github.com',
      githubApiUrl: 'https://api.github.com',
      queueRedisUrl: undefined,
      allowEviction: false,
      dataDirectory: join(scratch, 'nothing'),
      concurrency: 4,
      graceMs: 8000,
      lockMs: 60_000,
      logLevel: 'info',
      appId: 4711,
      privateKey: PKCS8,
      webhookSecret: SECRET,
      previousWebhookSecret: undefined,
      signingKey: SIGNING,
    });
  });

  it('is unconfigured without credentials, empty ones included', () => {
    const variables = {
      ...NOTHING,
      APP_ID: '',
      PRIVATE_KEY: ' ',
      PORT: '0',
      PUBLIC_URL: 'https://keeper.example/',
    };
    const environment = readEnvironment(variables);
    expect(environment).toMatchObject({
      kind: 'unconfigured',
      settings: { port: 0, publicUrl: 'https://keeper.example' },
    });
    expect(JSON.stringify(environment)).not.toContain('appId');
  });

  it('takes the role from the first argument before the variable', () => {
    const variables = {
      ...GOOD,
      SKILLKEEPER_ROLE: 'worker',
      QUEUE_REDIS_URL: 'rediss://user:pw@queue:6380/1',
    };
    expect(settingsOf(readEnvironment(variables)).role).toBe('worker');
    expect(settingsOf(readEnvironment(variables, ['web'])).role).toBe('web');
  });

  it('keeps data in the state folder of the user', () => {
    const { SKILLKEEPER_DATA_DIR: _, ...given } = GOOD;
    const folder = (more: Record<string, string>) =>
      settingsOf(readEnvironment({ ...given, ...more })).dataDirectory;
    expect(folder({ HOME: '/home/mara' })).toBe('/home/mara/.local/state/skillkeeper');
    expect(folder({ HOME: '/home/mara', XDG_STATE_HOME: '/state' })).toBe('/state/skillkeeper');
    expect(folder({ HOME: '/home/mara', XDG_STATE_HOME: 'state' })).toBe(
      '/home/mara/.local/state/skillkeeper',
    );
  });

  it('names every problem at once', () => {
    const { APP_ID: _, ...rest } = GOOD;
    const problems = problemsOf({ ...rest, WEBHOOK_SECRET: 'short', PORT: '70000', LOG_LEVEL: 'loud' });
    expect(problems.map(problem => problem.split(' ')[0])).toEqual([
      'APP_ID',
      'WEBHOOK_SECRET',
      'PORT',
      'LOG_LEVEL',
    ]);
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    [
      'a missing app id',
      { APP_ID: undefined },
      'APP_ID is not set. Open https://github.com/settings/apps, choose your app: "App ID" stands at the top of the page.',
    ],
    [
      'an app id that is a client id',
      { APP_ID: 'Iv23liABC' },
      'APP_ID is not a number. Open https://github.com/settings/apps, choose your app: "App ID" stands at the top of the page.',
    ],
    [
      'a missing key',
      { PRIVATE_KEY: undefined },
      'PRIVATE_KEY is not set, nor is PRIVATE_KEY_FILE. Open https://github.com/settings/apps, choose your app, section "Private keys": generate one and give the whole file.',
    ],
    [
      'two keys',
      { PRIVATE_KEY_FILE: '/key.pem' },
      'PRIVATE_KEY and PRIVATE_KEY_FILE are both set. Keep one of them.',
    ],
    [
      'a key file that is not there',
      { PRIVATE_KEY: undefined, PRIVATE_KEY_FILE: '/no/key.pem' },
      'PRIVATE_KEY_FILE is /no/key.pem, which cannot be read (ENOENT). Check the path and who may read it.',
    ],
    [
      'a missing secret',
      { WEBHOOK_SECRET: undefined },
      'WEBHOOK_SECRET is not set. Open https://github.com/settings/apps, choose your app, section "Webhook": enter a secret of at least 32 characters there (`openssl rand -hex 32` makes one) and give the same here.',
    ],
    [
      'a short secret',
      { WEBHOOK_SECRET: 'development' },
      'WEBHOOK_SECRET has fewer than 32 characters. Open https://github.com/settings/apps, choose your app, section "Webhook": enter a longer secret there (`openssl rand -hex 32` makes one) and give the same here.',
    ],
    [
      'a secret with the line end of its file',
      { WEBHOOK_SECRET: `${SECRET}\n` },
      'WEBHOOK_SECRET has white space around it. Remove it, and set the same on GitHub.',
    ],
    [
      'a missing signing key',
      { SKILLKEEPER_SIGNING_KEY: undefined },
      'SKILLKEEPER_SIGNING_KEY is not set. Make one with `openssl rand -hex 32` and keep it: with another one, open gates and earlier runs are not recognised.',
    ],
    [
      "Probot's name for Redis",
      { REDIS_URL: 'redis://queue' },
      'REDIS_URL is set, which Skillkeeper does not read. Call it QUEUE_REDIS_URL, or remove it.',
    ],
    [
      'something else than Redis',
      { QUEUE_REDIS_URL: 'http://queue' },
      'QUEUE_REDIS_URL is no Redis address. Write it as redis://host:6379 or rediss://host:6379.',
    ],
    [
      'one of several processes without Redis',
      { SKILLKEEPER_ROLE: 'web' },
      'QUEUE_REDIS_URL is not set, and SKILLKEEPER_ROLE is web: several processes need Redis between them. Set it, or run one process with the role all.',
    ],
    [
      'an unknown role',
      { SKILLKEEPER_ROLE: 'server' },
      'SKILLKEEPER_ROLE is none of all, web, worker. Say one of them, here or as the first argument.',
    ],
    [
      'plain http over a network',
      { PUBLIC_URL: 'http://keeper.example' },
      'PUBLIC_URL begins with http://, which is allowed for 127.0.0.1 and localhost only. Use https://. Give the address GitHub reaches this server at.',
    ],
    [
      'an enterprise server with the API of github.com',
      { GITHUB_URL: 'https://ghe.example' },
      'GITHUB_API_URL is https://api.github.com and GITHUB_URL is https://ghe.example: they belong to different GitHubs. Set both (GitHub Enterprise Server: https://<host>/api/v3 and https://<host>) or none.',
    ],
    [
      'no number',
      { SKILLKEEPER_CONCURRENCY: 'many' },
      'SKILLKEEPER_CONCURRENCY is no whole number from 1 to 64. Set one, or remove it.',
    ],
    [
      'neither yes nor no',
      { SKILLKEEPER_ALLOW_EVICTION: 'maybe' },
      'SKILLKEEPER_ALLOW_EVICTION is neither 1 nor 0. Set it to 1, or remove it.',
    ],
  ])('says of %s what is wrong and what to do', (_, change, problem) => {
    expect(problemsOf({ ...GOOD, ...change })).toEqual([problem]);
  });

  it('sends people to the GitHub they use', () => {
    const enterprise = { GITHUB_URL: 'https://ghe.example', GITHUB_API_URL: 'https://ghe.example/api/v3' };
    expect(problemsOf({ ...GOOD, ...enterprise, APP_ID: 'x' })[0]).toContain(
      'https://ghe.example/settings/apps',
    );
  });

  it('allows plain http on loopback', () => {
    const local = { GITHUB_URL: 'http://127.0.0.1:8080', GITHUB_API_URL: 'http://localhost:8080/' };
    expect(settingsOf(readEnvironment({ ...GOOD, ...local })).githubApiUrl).toBe('http://localhost:8080');
  });

  it('refuses a worker without an app: it serves no set-up', () => {
    const problems = problemsOf({ ...NOTHING, QUEUE_REDIS_URL: 'redis://queue' }, ['worker']);
    expect(problems[0]).toMatch(/^APP_ID is not set, and a worker serves no set-up\./);
  });

  it('quotes no secret in a problem', () => {
    const bad = {
      ...GOOD,
      WEBHOOK_SECRET: 'hush',
      SKILLKEEPER_SIGNING_KEY: 'hushhush',
      PRIVATE_KEY: 'hushhushhush',
    };
    const redis = { QUEUE_REDIS_URL: 'http://:hush@queue', PUBLIC_URL: 'https://me:hush@keeper.example' };
    const problems = problemsOf({ ...bad, ...redis });
    expect(problems).toHaveLength(5);
    expect(problems.join(' ')).not.toContain('hush');
  });
});

describe('a private key', () => {
  const keyFile = join(scratch, 'key.pem');
  writeFileSync(keyFile, PKCS1);

  it.each<[string, Record<string, string | undefined>]>([
    ['PKCS#1', { PRIVATE_KEY: PKCS1 }],
    ['PKCS#8', { PRIVATE_KEY: PKCS8 }],
    ['with line ends written out', { PRIVATE_KEY: PKCS1.trimEnd().replaceAll('\n', '\\n') }],
    ['with line ends of Windows', { PRIVATE_KEY: PKCS1.replaceAll('\n', '\r\n') }],
    ['with line ends turned into blanks', { PRIVATE_KEY: PKCS1.replaceAll('\n', ' ') }],
    ['in quotes', { PRIVATE_KEY: JSON.stringify(PKCS8) }],
    ['in base64', { PRIVATE_KEY: Buffer.from(PKCS1).toString('base64') }],
    [
      'in base64 with line ends',
      { PRIVATE_KEY: Buffer.from(PKCS8).toString('base64').replace(/.{76}/g, '$&\n') },
    ],
    ['in a file', { PRIVATE_KEY: undefined, PRIVATE_KEY_FILE: keyFile }],
  ])('is read %s', (_, change) => {
    const { privateKey: read } = settingsOf(readEnvironment({ ...GOOD, ...change }));
    expect(createPrivateKey(read).equals(privateKey)).toBe(true);
  });

  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  it.each([
    ['a path', '/run/secrets/key.pem', 'holds no complete PEM, from "-----BEGIN" to the "-----END" line.'],
    ['cut off', PKCS1.slice(0, 800), 'holds no complete PEM, from "-----BEGIN" to the "-----END" line.'],
    ['damaged', PKCS1.replace(/\n.{64}\n/, '\n'), 'cannot be read as a key: it is damaged or was cut.'],
    [
      'public',
      elliptic.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'holds a public key, not a private key.',
    ],
    [
      'of another kind',
      elliptic.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'is no RSA key, and keys of apps are.',
    ],
    [
      'locked',
      privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      'needs a passphrase.',
    ],
    [
      'locked the old way',
      privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      'needs a passphrase.',
    ],
  ])('that is %s is refused at start', (_, key, problem) => {
    expect(problemsOf({ ...GOOD, PRIVATE_KEY: key })).toEqual([
      `PRIVATE_KEY ${problem} Open https://github.com/settings/apps, choose your app, section "Private keys": generate one and give the whole file.`,
    ]);
  });
});

describe('the file of set-up', () => {
  const stored = {
    APP_ID: '4711',
    PRIVATE_KEY: PKCS1,
    WEBHOOK_SECRET: SECRET,
    SKILLKEEPER_SIGNING_KEY: SIGNING,
  };
  let count = 0;
  const folder = () => {
    count += 1;
    return join(scratch, `data-${count}`, 'skillkeeper');
  };

  it('gives the credentials, and only its owner may read it', async () => {
    const data = folder();
    await writeCredentialsFile(data, stored);
    expect(statSync(join(data, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const settings = settingsOf(readEnvironment({ SKILLKEEPER_DATA_DIR: data }));
    expect(settings).toMatchObject({
      appId: 4711,
      webhookSecret: SECRET,
      signingKey: SIGNING,
      privateKey: PKCS8,
    });
  });

  it('yields to the environment, one by one', async () => {
    const data = folder();
    await writeCredentialsFile(data, stored);
    const rotated = { WEBHOOK_SECRET: `new ${SECRET}`, WEBHOOK_SECRET_PREVIOUS: SECRET };
    expect(settingsOf(readEnvironment({ SKILLKEEPER_DATA_DIR: data, ...rotated }))).toMatchObject({
      appId: 4711,
      webhookSecret: `new ${SECRET}`,
      previousWebhookSecret: SECRET,
    });
  });

  it('does not lend its key to another app', async () => {
    const data = folder();
    await writeCredentialsFile(data, stored);
    expect(problemsOf({ SKILLKEEPER_DATA_DIR: data, APP_ID: '4712' })[0]).toMatch(
      /^APP_ID is not the app whose/,
    );
  });

  it('is refused when others may read it', async () => {
    const data = folder();
    await writeCredentialsFile(data, stored);
    const path = join(data, 'credentials.json');
    chmodSync(path, 0o640);
    expect(problemsOf({ SKILLKEEPER_DATA_DIR: data })).toEqual([
      `${path} can be read by others (mode 640). Run: chmod 600 ${path}`,
    ]);
    expect(readEnvironment({ ...GOOD, SKILLKEEPER_DATA_DIR: data }).kind).toBe('ready'); // not needed, not read
  });

  it('is refused when it holds something else, and not quoted', () => {
    const data = folder();
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'credentials.json'), '{"APP_ID": hush', { mode: 0o600 });
    const problems = problemsOf({ SKILLKEEPER_DATA_DIR: data });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('does not hold what set-up wrote');
    expect(problems[0]).not.toContain('hush');
  });

  it('is never written over', async () => {
    const data = folder();
    await writeCredentialsFile(data, stored);
    await expect(writeCredentialsFile(data, { ...stored, APP_ID: '1' })).rejects.toThrow('it exists already');
    expect(readCredentialsFile(data)).toMatchObject({ values: { APP_ID: '4711' } });
  });
});

it('is described from the schema that checks it', () => {
  const table = describeEnvironment();
  expect(table).toContain('| `PORT` | `3000` | The port to listen on; 0 for any free one. |');
  expect(table).toContain('| `GITHUB_API_URL` | `https://api.github.com` |');
  expect(table).toContain('| `SKILLKEEPER_DATA_DIR` | `$XDG_STATE_HOME/skillkeeper`, or');
  expect(table.split('\n').filter(line => line.startsWith('| `'))).toHaveLength(20);
  for (const line of table.trim().split('\n')) expect(line.split('|')).toHaveLength(5);
});
