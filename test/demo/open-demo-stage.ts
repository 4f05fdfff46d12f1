import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startProcess } from '../e2e/start-processes.ts';
import { startTwin, type Twin } from '../twin/start-twin.ts';

export interface DemoPull {
  readonly number: number;
  readonly branch: string;
  readonly head: string;
}

export interface DemoStage {
  readonly twin: Twin;
  /** `owner/name`. */
  readonly repo: string;
  readonly openPull: () => Promise<DemoPull>;
  readonly comment: (number: number, body: string) => { readonly id: number };
  /** Waits for the terminal reaction on a comment, and for the check of what it brought. */
  readonly waitForAnswer: (commentId: number, timeoutMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const SAMPLE = join(import.meta.dirname, 'sample');
const OWNER = 'acme';
const BRANCH = 'demo';

/** A forge with one repository (the sample, or a clone of a local one) where the app is installed and runs. */
export async function openDemoStage(source: string | undefined): Promise<DemoStage> {
  if (source !== undefined && !existsSync(source))
    throw new Error(`there is no folder ${source}. Name a local git repository.`);
  const folder = mkdtempSync(join(tmpdir(), 'skillkeeper-demo-'));
  const twin = await startTwin();
  const repo = `${OWNER}/${source === undefined ? 'skills' : 'your-repository'}`;
  twin.createOrganisation(OWNER);
  twin.createUser('mara');
  const content = source === undefined ? { files: readSample() } : { from: resolve(source) };
  await twin.createRepository({ owner: OWNER, name: repo.slice(OWNER.length + 1), ...content });
  twin.setRole(repo, 'mara', 'maintain');
  twin.installApp(repo);
  const app = await startProcess('all', {
    APP_ID: String(twin.app.id),
    PRIVATE_KEY: twin.app.privateKey,
    WEBHOOK_SECRET: twin.app.webhookSecret,
    SKILLKEEPER_SIGNING_KEY: 'only-for-the-demo-and-thrown-away-after-it',
    GITHUB_API_URL: twin.url,
    GITHUB_URL: new URL(twin.gitUrl(repo)).origin,
    SKILLKEEPER_DATA_DIR: folder,
    LOG_LEVEL: 'info',
  });
  twin.app.webhookUrl = `${app.url}/api/github/webhooks`;
  return {
    twin,
    repo,
    openPull: async () => {
      const files = { 'demo-note.md': 'A branch for the demo.\n' };
      const head = await twin.push({ repo, branch: BRANCH, author: 'mara', files });
      const { number } = await twin.openPullRequest({ repo, author: 'mara', head: BRANCH, title: 'Tidy up' });
      twin.clock.advance(2000);
      return { number, branch: BRANCH, head };
    },
    comment: (number, body) => twin.comment({ repo, number, author: 'mara', body }),
    waitForAnswer: (commentId, timeoutMs) => waitForAnswer(twin, repo, commentId, timeoutMs),
    close: async () => {
      await app.end('SIGTERM');
      await twin.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

function readSample(): Record<string, string> {
  const names = readdirSync(SAMPLE, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.md'),
  );
  return Object.fromEntries(names.map(name => [name, readFileSync(join(SAMPLE, name), 'utf8')]));
}

async function waitForAnswer(twin: Twin, repo: string, commentId: number, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const isOver = () => twin.reactions(commentId).some(({ content }) => content !== 'eyes');
  const isChecked = async () =>
    twin.checkRuns(repo, await twin.head(repo, BRANCH)).some(({ status }) => status === 'completed');
  while (!(isOver() && (await isChecked()))) {
    if (Date.now() > deadline) throw new Error(`no answer within ${timeoutMs / 1000} seconds`);
    await new Promise(end => setTimeout(end, 50));
  }
}
