import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { answerHtml, type Handle } from './answer.ts';
import { CALLBACK_PATH, composeManifest } from './compose-manifest.ts';
import { credentialsPath, writeCredentialsFile } from './credentials-file.ts';
import { exchangeManifestCode, type NewApp } from './exchange-manifest-code.ts';
import type { BaseSettings, Environment, Settings } from './read-environment.ts';
import {
  pageHeaders,
  renderDonePage,
  renderProblemPage,
  renderRegisterPage,
  renderTokenPage,
} from './setup-pages.ts';
import { createSetupSession } from './setup-session.ts';

export interface ManifestFlowDeps {
  readonly settings: BaseSettings;
  /** Where this machine reaches the server, for when there is no `PUBLIC_URL`. No slash at its end. */
  readonly localUrl: string;
  /** Reads the environment again, now with the file set-up wrote. */
  readonly readAgain: () => Environment;
  /** Starts the real work; called when the last page is on its way, so it may close this server. */
  readonly onConfigured: (settings: Settings) => Promise<void>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface ManifestFlow {
  /** The address with the one-time token. Print it where only the operator looks: it unlocks set-up. */
  readonly setupUrl: string;
  readonly routes: ReadonlyMap<string, Handle>;
}

interface Page {
  readonly status: number;
  readonly html: string;
  /** To be done when the page has been sent. */
  readonly afterwards?: () => Promise<void>;
}

/**
 * Registers the app for whoever holds the token printed at start: `GET /` sends the manifest to GitHub,
 * `GET /setup/callback` takes the person back, trades the code for credentials and keeps them in a file.
 * Done once; secrets stand in no page and in no log.
 */
export function createManifestFlow(deps: ManifestFlowDeps): ManifestFlow {
  const { settings } = deps;
  const baseUrl = settings.publicUrl ?? deps.localUrl;
  const session = createSetupSession({ isSecure: baseUrl.startsWith('https:'), ...clockOf(deps) });
  let stage: 'open' | 'working' | 'done' = 'open';

  const showStart = async (request: IncomingMessage, response: ServerResponse): Promise<Page | undefined> => {
    if (stage !== 'open') return ALREADY;
    const query = queryOf(request);
    const cookie = session.claim(query.get('token') ?? '');
    if (cookie !== undefined) {
      response.setHeader('set-cookie', cookie);
      response.writeHead(303, { location: './', 'referrer-policy': 'no-referrer' }).end(); // token out of the address
      return undefined;
    }
    const known = session.find(request.headers.cookie);
    if (known === undefined) return { status: 403, html: renderTokenPage() };
    return showRegistration(known, query.get('organisation')?.trim() ?? '');
  };

  const showRegistration = async (known: string, organisation: string): Promise<Page> => {
    if (!/^(?:[a-z\d](?:-?[a-z\d]){0,38})?$/i.test(organisation))
      return problem(400, 'No such organisation', `"${organisation}" cannot be the name of an organisation.`);
    const composed = composeManifest(settings, deps.localUrl);
    if (composed.kind === 'unreachable') return problem(200, 'One setting is missing', composed.advice);
    const unwritable = await findUnwritable(settings.dataDirectory);
    if (unwritable !== undefined) return problem(200, 'The data folder cannot be written', unwritable);
    const { manifest } = composed;
    const state = session.issueState(known);
    const page = { manifest, githubUrl: settings.githubUrl, organisation, state };
    return { status: 200, html: renderRegisterPage(page) };
  };

  const takeBack = async (request: IncomingMessage): Promise<Page> => {
    if (stage !== 'open') return ALREADY;
    const query = queryOf(request);
    const known = session.find(request.headers.cookie);
    const code = query.get('code') ?? '';
    if (known === undefined || !session.takeState(known, query.get('state') ?? ''))
      return problem(400, 'Not accepted', `This way back from GitHub ${UNKNOWN_STATE} ${baseUrl}/ again.`);
    if (!/^[\w-]{1,200}$/.test(code))
      return problem(400, 'Not accepted', `GitHub sent no usable code. Begin at ${baseUrl}/ again.`);
    stage = 'working';
    try {
      const page = await register(code, deps);
      if (page.afterwards !== undefined) stage = 'done';
      return page;
    } finally {
      if (stage === 'working') stage = 'open';
    }
  };

  const headers = pageHeaders(settings.githubUrl);
  const serve = (makePage: (...args: Parameters<Handle>) => Promise<Page | undefined>): Handle => {
    return async (request, response) => {
      const page = request.method === 'GET' ? await makePage(request, response) : NOT_GET;
      if (page === undefined) return;
      const { status, html, afterwards } = page;
      // Who asked may have gone meanwhile; the work is theirs all the same.
      if (response.destroyed) void afterwards?.();
      else if (afterwards !== undefined) response.once('close', () => void afterwards());
      answerHtml(response, status, html, afterwards ? { ...headers, connection: 'close' } : headers);
    };
  };
  return {
    setupUrl: `${baseUrl}/?token=${session.token}`,
    routes: new Map([
      ['/', serve(showStart)],
      [CALLBACK_PATH, serve(takeBack)],
    ]),
  };
}

const UNKNOWN_STATE = 'was not begun in this browser, was used already or is older than an hour. Begin at';
const ALREADY = problem(409, 'Set up already', 'This server has its app, or is just getting it.');
const NOT_GET = problem(405, 'Not served', 'Only GET is served here.');

async function register(code: string, deps: ManifestFlowDeps): Promise<Page> {
  const { settings, log } = deps;
  const exchange = await exchangeManifestCode(settings.githubApiUrl, code);
  if (exchange.kind === 'refused')
    return problem(502, 'GitHub gave no credentials', `${exchange.problem} ${startOver(settings)}`);
  const { app } = exchange;
  try {
    await keepCredentials(app, settings.dataDirectory);
  } catch (error) {
    log.error({ err: error }, 'credentials not kept');
    const why = `${(error as Error).message} The app exists, but its credentials are lost.`;
    return problem(500, 'The credentials could not be kept', `${why} ${startOver(settings)}`);
  }
  const path = credentialsPath(settings.dataDirectory);
  log.info({ appId: app.id, path }, 'app registered, credentials kept');
  const environment = deps.readAgain();
  if (environment.kind !== 'ready') {
    const problems = environment.kind === 'invalid' ? environment.problems : [];
    const text = [...problems, 'Then start Skillkeeper again.'].join(' ');
    return { ...problem(200, 'Credentials kept; one thing is left', text), afterwards: async () => {} };
  }
  const html = renderDonePage(safeAppUrl(app, settings), path);
  return { status: 200, html, afterwards: () => startWorking(environment.settings, deps) };
}

async function startWorking(settings: Settings, { onConfigured, log }: ManifestFlowDeps): Promise<void> {
  try {
    await onConfigured(settings);
  } catch (error) {
    log.error({ err: error }, 'the start after set-up failed; the credentials are kept, start again');
  }
}

async function keepCredentials(app: NewApp, dataDirectory: string): Promise<void> {
  await writeCredentialsFile(dataDirectory, {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.pem,
    WEBHOOK_SECRET: app.webhook_secret,
    SKILLKEEPER_SIGNING_KEY: randomBytes(32).toString('hex'),
  });
}

/** Only an address on this GitHub becomes a link. */
function safeAppUrl(app: NewApp, { githubUrl }: BaseSettings): string {
  return new URL(app.html_url).origin === new URL(githubUrl).origin
    ? app.html_url
    : `${githubUrl}/settings/apps`;
}

function startOver({ githubUrl }: BaseSettings): string {
  return `If ${githubUrl}/settings/apps lists a new app, delete it there. Then begin again.`;
}

async function findUnwritable(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return `${folder} cannot be written (${code}). Set SKILLKEEPER_DATA_DIR to a folder this process may write, and start again.`;
  }
}

function problem(status: number, title: string, text: string): Page {
  return { status, html: renderProblemPage(title, text) };
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams(request.url?.split('?', 2)[1] ?? '');
}

function clockOf({ now }: ManifestFlowDeps): { readonly now?: () => number } {
  return now === undefined ? {} : { now };
}
