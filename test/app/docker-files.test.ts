import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { environmentVariables } from '../../src/app/environment-variables.ts';
import { readEnvironment } from '../../src/app/read-environment.ts';
import { serveHttp } from '../../src/app/serve-http.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile by stage; continued lines are joined, comments are left out. */
function readDockerfile(text: string): Instruction[][] {
  const lines = text
    .split('\n')
    .filter(line => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter(each => each.trim() !== '')) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly entrypoint?: unknown;
  readonly user?: string;
  readonly privileged?: boolean;
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period: string;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
}

const dockerfile = read('Dockerfile');
const stages = readDockerfile(dockerfile);
const image = stages.at(-1) ?? [];
const all = (name: string) => image.filter(each => each.name === name).map(({ rest }) => rest);
const words = (name: string): string[] => JSON.parse(all(name).at(-1) ?? 'null');
const imageEnvironment = Object.fromEntries(
  all('ENV').flatMap(rest => rest.split(' ').map(pair => pair.split('=', 2) as [string, string])),
);

const composeFile = read('docker-compose.yml');
const compose = parse(composeFile, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const { redis, ...appServices } = compose.services;
const apps = Object.entries(appServices);
const variables = environmentVariables().shape;
const secrets = ['PRIVATE_KEY', 'WEBHOOK_SECRET', 'WEBHOOK_SECRET_PREVIOUS', 'SKILLKEEPER_SIGNING_KEY'];

describe('the commands', () => {
  const started = { roles: ['all', 'web', 'worker'], command: ['node', 'dist/src/app/main.js'] };

  it('are those the end-to-end tests start', () => {
    const e2e = read('test/e2e/start-processes.ts');
    expect(e2e).toContain("join(import.meta.dirname, '../../dist/src/app/main.js')");
    expect(e2e).toContain('spawn(process.execPath, [MAIN, role], {');
    expect(e2e).toContain(`role: ${started.roles.map(role => `'${role}'`).join(' | ')}`);
    expect(words('ENTRYPOINT')).toEqual(started.command);
    expect(words('CMD')).toEqual(['all']);
    expect(all('WORKDIR').at(-1)).toBe('/app');
    expect(JSON.parse(read('package.json')).scripts.start).toBe(started.command.join(' '));
  });

  it('are not changed by compose but for the role', () => {
    expect(apps.map(([name, { command }]) => [name, command])).toEqual([
      ['web', ['web']],
      ['worker-1', ['worker']],
      ['worker-2', ['worker']],
    ]);
    for (const [, service] of apps) expect(service).not.toHaveProperty('entrypoint');
  });

  it('get settings from compose that the app takes', () => {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const given = {
      APP_ID: '4711',
      PRIVATE_KEY: key.export({ type: 'pkcs1', format: 'pem' }).toString().replaceAll('\n', '\\n'),
      WEBHOOK_SECRET: 'x'.repeat(32),
      SKILLKEEPER_SIGNING_KEY: 'y'.repeat(32),
    };
    for (const [name, service] of apps) {
      const read = readEnvironment(environmentOf(service, given), service.command);
      expect([name, read]).toMatchObject([name, { kind: 'ready', settings: { role: service.command[0] } }]);
      if (read.kind !== 'ready') continue;
      expect(read.settings).toMatchObject({
        host: '0.0.0.0',
        port: 3000,
        queueRedisUrl: 'redis://redis:6379',
      });
    }
  });

  it('serve set-up on the web side, and say why a worker can not, while .env is empty', () => {
    const kinds = apps.map(([, service]) => readEnvironment(environmentOf(service, {}), service.command));
    expect(kinds).toMatchObject([
      { kind: 'unconfigured' },
      { kind: 'invalid', problems: [expect.stringContaining('a worker serves no set-up')] },
      { kind: 'invalid' },
    ]);
  });
});

describe('the image', () => {
  it('is built from files that are there and that reach the builder', () => {
    const copies = stages.flat().filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from='));
    const sources = copies.flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    const [first, ...rest] = read('.dockerignore')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    expect(sources.filter(source => !existsSync(join(root, source)))).toEqual([]);
    expect([first, ...rest.sort()]).toEqual([
      '*',
      ...[...new Set(sources)].sort().map(source => `!${source}`),
    ]);
  });

  it('holds what the build made, production dependencies alone, git and certificates', () => {
    const build = stages[0]?.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    expect(stages).toHaveLength(2);
    expect(build?.join('\n')).toMatch(/npm ci --ignore-scripts\n.*npm run build && npm prune --omit=dev/);
    expect(all('COPY').filter(rest => rest.startsWith('--from='))).toEqual([
      '--from=build /app/node_modules ./node_modules',
      '--from=build /app/dist ./dist',
    ]);
    expect(all('RUN').join()).toContain('--no-install-recommends ca-certificates git ');
    expect(all('RUN').join()).not.toMatch(/\bnpm\b/);
  });

  it('is the same Node in both stages', () => {
    const bases = stages.map(([from]) => from?.rest.split(' ')[0]);
    expect(new Set(bases)).toEqual(new Set(['node:26-trixie-slim']));
  });

  it('stops on the signal the app listens to', () => {
    expect(all('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(read('src/app/main.ts')).toContain("'SIGTERM'");
  });

  it('is healthy while the app lives, and is not when nothing listens', async () => {
    const check = JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]') as string[];
    const isReady = async () => ({ ready: false, reason: 'Redis is down' }) as const;
    const server = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      routes: new Map(),
      isReady,
      log: pino({ level: 'silent' }),
    });
    onTestFinished(() => server.close(0));
    expect(await exitOf(check, { PORT: String(server.port) })).toBe(0);
    await server.close(0);
    expect(await exitOf(check, { PORT: String(server.port) })).toBe(1);
  });
});

describe('safety', () => {
  it('runs nothing as root', () => {
    const user = image.findLastIndex(({ name }) => name === 'USER');
    expect(image[user]?.rest).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.slice(user).map(({ name }) => name)).not.toContain('RUN');
    expect(redis?.user).toBe('redis');
    for (const service of Object.values(compose.services)) {
      expect(service.user ?? 'that of the image').not.toMatch(/^(?:0|root)\b/);
      expect(service.privileged).toBeUndefined();
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
    }
  });

  it('holds no secret', () => {
    for (const text of [dockerfile, composeFile])
      expect(text).not.toMatch(/-----BEGIN|\bgh[a-z]_|github_pat_|[0-9a-f]{32}|:\/\/[^\s/]*@/i);
    expect(Object.keys(imageEnvironment).filter(name => secrets.includes(name))).toEqual([]);
    expect(stages.flat().filter(({ name }) => name === 'ARG')).toEqual([]);
    for (const [, { environment = {} }] of apps)
      for (const name of secrets) expect(environment[name]).toBe(`\${${name}:-}`);
  });

  it('publishes nothing but the web port, and that on loopback', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['web', [`127.0.0.1:\${PORT:-3000}:3000`]],
    ]);
  });
});

describe('the variables', () => {
  it('of image and compose exist, and each is passed on under its own name', () => {
    expect(Object.keys(imageEnvironment).filter(name => !(name in variables))).toEqual(['NODE_ENV']);
    for (const [, { environment = {} }] of apps) {
      expect(Object.keys(environment).filter(name => !(name in variables))).toEqual([]);
      const passed = Object.entries(environment).filter(([, value]) => value.includes('${'));
      expect(passed).toEqual(passed.map(([name]) => [name, `\${${name}:-}`]));
    }
    const named = [...composeFile.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '');
    expect(named.filter(name => !(name in variables))).toEqual([]);
  });

  it('leave time to stop: one grace for requests, one for jobs, and some to close connections', () => {
    for (const [, service] of apps) {
      const graceMs = Number(service.environment?.SKILLKEEPER_GRACE_MS);
      expect(secondsOf(service.stop_grace_period) * 1000).toBeGreaterThan(2 * graceMs + 13_000);
    }
  });
});

describe('Redis', () => {
  it('is a pinned major that evicts nothing and writes everything down', () => {
    expect(redis?.image).toMatch(/^redis:\d+-/);
    expect(redis?.command.join(' ')).toBe('redis-server --maxmemory-policy noeviction --appendonly yes');
    expect(redis?.volumes).toEqual(['redis:/data']);
    expect(compose.volumes).toHaveProperty('redis');
  });

  it('is healthy before anything else starts', () => {
    expect(redis?.healthcheck?.test.join(' ')).toContain('redis-cli ping');
    for (const [, { depends_on: needs }] of apps)
      expect(needs).toEqual({ redis: { condition: 'service_healthy' } });
  });
});

it('gives every process a data folder of its own', () => {
  const folder = imageEnvironment.SKILLKEEPER_DATA_DIR ?? '';
  expect(all('VOLUME')).toEqual([folder]);
  expect(all('RUN').join()).toContain(`install -d -o node -g node -m 0700 ${folder}`);
  expect(apps.map(([, { volumes }]) => volumes)).toEqual(apps.map(([name]) => [`${name}:${folder}`]));
  expect(Object.keys(compose.volumes).sort()).toEqual(['redis', ...apps.map(([name]) => name)].sort());
});

/** What a service's process sees: the image's variables, and compose's with `.env` put in. */
function environmentOf({ environment = {} }: Service, given: Readonly<Record<string, string>>) {
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(
      /\$\{(\w+):-([^}]*)\}/g,
      (_, variable: string, fallback: string) => given[variable] ?? fallback,
    ),
  ]);
  return { ...imageEnvironment, ...Object.fromEntries(filled) };
}

function secondsOf(duration: string): number {
  return Number(/^(\d+)s$/.exec(duration)?.[1]);
}

async function exitOf([program, ...args]: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(program === 'node' ? process.execPath : '', args, { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code as number;
}
