import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newDataDir } from '../queues/open-test-backend.ts';
import { type RedisServer, startRedis } from '../queues/start-redis.ts';
import { startTwin, type Twin } from '../twin/start-twin.ts';
import { type AppProcess, startProcess } from './start-processes.ts';

export const REPO = 'acme/skills';
export const SKILL = 'skills/deploy/SKILL.md';
const SIGNING_KEY = 'a-signing-key-for-tests-of-32-characters';

/** A skill with three sections to move; every line stands once. */
const SKILL_TEXT = `---
name: deploy
---

# Deploy

## Alpha

alpha body

## Beta

beta body

## Gamma

gamma body

## Rest

end
`;

export type BackendKind = 'redis' | 'embedded';

export interface Stage {
  readonly twin: Twin;
  /** Starts another process of the app over the same queue. */
  readonly start: (role: 'all' | 'web' | 'worker') => Promise<AppProcess>;
  /** The first process, unless \`first: false\` was asked for. */
  readonly app: AppProcess | undefined;
  /** Opens a pull request on a fresh branch that touches the README. */
  readonly openPull: (
    branch: string,
  ) => Promise<{ readonly number: number; readonly branch: string; readonly head: string }>;
  readonly redis: RedisServer | undefined;
  readonly close: () => Promise<void>;
}

/** A forge, one installed repository with a maintainer and a reader, and the app over a real queue. */
export async function openStage(options: {
  readonly backend: BackendKind;
  readonly first?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}): Promise<Stage> {
  const folder =
    options.backend === 'embedded' ? await newDataDir() : mkdtempSync(join(tmpdir(), 'skillkeeper-e2e-'));
  const twin = await startTwin({ limits: { contentPerMinute: 10_000 } }); // tests talk faster than people
  const redis = options.backend === 'redis' ? await startRedis() : undefined;
  const processes: AppProcess[] = [];
  twin.createOrganisation('acme');
  for (const login of ['mara', 'rita', 'sam']) twin.createUser(login);
  await twin.createRepository({
    owner: 'acme',
    name: 'skills',
    files: options.files ?? { [SKILL]: SKILL_TEXT, 'README.md': 'skills\n' },
  });
  twin.setRole(REPO, 'mara', 'write');
  twin.setRole(REPO, 'rita', 'read');
  twin.installApp(REPO);
  const env = {
    APP_ID: String(twin.app.id),
    PRIVATE_KEY: twin.app.privateKey,
    WEBHOOK_SECRET: twin.app.webhookSecret,
    SKILLKEEPER_SIGNING_KEY: SIGNING_KEY,
    GITHUB_API_URL: twin.url,
    GITHUB_URL: new URL(twin.gitUrl(REPO)).origin,
    SKILLKEEPER_DATA_DIR: folder,
    LOG_LEVEL: 'info',
    SKILLKEEPER_LOCK_MS: '2000', // what a killed worker held is taken up soon
    ...(redis ? { QUEUE_REDIS_URL: redis.url } : {}),
  };
  const start = async (role: 'all' | 'web' | 'worker') => {
    const started = await startProcess(role, env);
    processes.push(started);
    if (role !== 'worker') twin.app.webhookUrl = `${started.url}/api/github/webhooks`;
    return started;
  };
  const app = options.first === false ? undefined : await start('all');
  return {
    twin,
    start,
    app,
    openPull: async branch => {
      const head = await twin.push({
        repo: REPO,
        branch,
        author: 'mara',
        files: { 'README.md': `work on ${branch}\n` },
      });
      const { number } = await twin.openPullRequest({ repo: REPO, author: 'mara', head: branch });
      twin.clock.advance(2000); // a comment comes later than what it speaks of
      return { number, branch, head };
    },
    redis,
    close: async () => {
      await Promise.all(processes.map(one => one.end('SIGKILL')));
      await redis?.stop();
      await twin.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

/** Waits until something is true; says what it waited for when it never is. */
export async function until(what: string, check: () => unknown, timeoutMs = 40_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** The comment that asks for a move of one section. */
export function extractComment(section: string, reference = section.toLowerCase()): string {
  return `/extract-section\nTarget file: ${SKILL}\nSection: ## ${section}\nReference file: skills/deploy/references/${reference}.md`;
}

/** The delivery that told the app of a comment (its own comments come back as events too). */
export function deliveryOf({ twin }: Stage, comment: { readonly id: number }) {
  const isIt = ({ event, action, payload }: (typeof twin.deliveries)[number]) =>
    event === 'issue_comment' &&
    action === 'created' &&
    (payload.comment as { id: number }).id === comment.id;
  const found = twin.deliveries.find(isIt);
  if (!found) throw new Error(`no delivery of comment ${comment.id}`);
  return found;
}
