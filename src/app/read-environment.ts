import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { checkCredentials, checkNames, checkTogether, type GivenVariables } from './check-environment.ts';
import { credentialsPath, readCredentialsFile } from './credentials-file.ts';
import { type EnvironmentValues, environmentVariables } from './environment-variables.ts';
import { readPrivateKey } from './read-private-key.ts';

/** What is known without an app's credentials. */
export interface BaseSettings {
  readonly role: 'all' | 'web' | 'worker';
  readonly host: string;
  readonly port: number;
  /** Addresses have no slash at their end. */
  readonly publicUrl: string | undefined;
  readonly webhookProxyUrl: string | undefined;
  readonly githubUrl: string;
  readonly githubApiUrl: string;
  readonly queueRedisUrl: string | undefined;
  readonly allowEviction: boolean;
  /** Absolute; need not exist yet. */
  readonly dataDirectory: string;
  readonly concurrency: number;
  /** How long running jobs may finish when the process is told to stop. */
  readonly graceMs: number;
  readonly lockMs: number;
  readonly logLevel: EnvironmentValues['LOG_LEVEL'];
}

export interface Credentials {
  readonly appId: number;
  /** PKCS#8 PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Accepted too while the secret is changed on GitHub. */
  readonly previousWebhookSecret: string | undefined;
  readonly signingKey: string;
}

export type Settings = BaseSettings & Credentials;

export type Environment =
  | { readonly kind: 'ready'; readonly settings: Settings }
  /** No app yet: set-up is served instead. */
  | { readonly kind: 'unconfigured'; readonly settings: BaseSettings }
  /** Each names its variable, what is wrong and what to do; none quotes a secret. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/**
 * Reads the settings from the environment, the first argument (the role) and, for credentials the environment
 * does not give, from the file set-up wrote. Empty variables count as unset. Reads files, changes nothing.
 */
export function readEnvironment(variables: GivenVariables, args: readonly string[] = []): Environment {
  const set = onlySet(args[0] === undefined ? variables : { ...variables, SKILLKEEPER_ROLE: args[0] });
  const dataDirectory = findDataDirectory(set);
  const { given, problems } = addStoredCredentials(set, dataDirectory);
  const appsPage = `${githubOf(given)}/settings/apps`;
  const isUnconfigured = !APP_CREDENTIALS.some(name => given[name] !== undefined);
  const parsed = environmentVariables(appsPage).safeParse(given);
  const key = isUnconfigured ? { problems: [] } : readKey(given, appsPage);
  problems.push(...checkNames(given));
  if (!isUnconfigured) problems.push(...checkCredentials(given, appsPage), ...key.problems);
  if (parsed.success) problems.push(...checkTogether(parsed.data, isUnconfigured));
  else problems.push(...parsed.error.issues.map(issue => `${String(issue.path[0])} ${issue.message}`));
  if (!parsed.success || problems.length > 0) return { kind: 'invalid', problems };
  const settings = toSettings(parsed.data, dataDirectory);
  const credentials = toCredentials(parsed.data, key.pem);
  if (credentials === undefined) return { kind: 'unconfigured', settings };
  return { kind: 'ready', settings: { ...settings, ...credentials } };
}

const APP_CREDENTIALS = ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_FILE', 'WEBHOOK_SECRET'] as const;

type SetVariables = Readonly<Record<string, string>>;

/** A secret keeps the white space around it, so that its check can name it. */
function onlySet(variables: GivenVariables): SetVariables {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables))
    if (value !== undefined && value.trim() !== '')
      set[name] = /SECRET|SIGNING_KEY/.test(name) ? value : value.trim();
  return set;
}

/** https://specifications.freedesktop.org/basedir: a relative `XDG_STATE_HOME` is to be ignored. */
function findDataDirectory({ SKILLKEEPER_DATA_DIR, XDG_STATE_HOME, HOME }: SetVariables): string {
  if (SKILLKEEPER_DATA_DIR !== undefined) return resolve(SKILLKEEPER_DATA_DIR);
  if (XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, 'skillkeeper');
  return join(HOME ?? homedir(), '.local/state/skillkeeper');
}

/** The environment wins; but credentials of two apps are not mixed. */
function addStoredCredentials(
  set: SetVariables,
  dataDirectory: string,
): { readonly given: GivenVariables; readonly problems: string[] } {
  const hasKey = 'PRIVATE_KEY' in set || 'PRIVATE_KEY_FILE' in set;
  const hasAll = hasKey && 'APP_ID' in set && 'WEBHOOK_SECRET' in set && 'SKILLKEEPER_SIGNING_KEY' in set;
  const file = hasAll ? ({ kind: 'none' } as const) : readCredentialsFile(dataDirectory);
  if (file.kind === 'none') return { given: set, problems: [] };
  if (file.kind === 'refused') return { given: set, problems: [file.problem] };
  const { PRIVATE_KEY, ...others } = file.values;
  const given = { ...others, ...(hasKey ? {} : { PRIVATE_KEY }), ...set };
  if (given.APP_ID === others.APP_ID) return { given, problems: [] };
  const path = credentialsPath(dataDirectory);
  const problem = `APP_ID is not the app whose credentials stand in ${path}. Give all credentials in the environment, or remove APP_ID from it.`;
  return { given, problems: [problem] };
}

/** For advice alone: whether the address is good is checked with the rest. */
function githubOf({ GITHUB_URL = '' }: GivenVariables): string {
  return URL.canParse(GITHUB_URL) ? new URL(GITHUB_URL).origin : 'https://github.com';
}

function readKey(
  { PRIVATE_KEY, PRIVATE_KEY_FILE }: GivenVariables,
  appsPage: string,
): { readonly pem?: string; readonly problems: readonly string[] } {
  const advice = `Open ${appsPage}, choose your app, section "Private keys": generate one and give the whole file.`;
  const text = PRIVATE_KEY ?? readText(PRIVATE_KEY_FILE);
  if (text === undefined) return { problems: [`PRIVATE_KEY is not set, nor is PRIVATE_KEY_FILE. ${advice}`] };
  if (typeof text === 'object') {
    const problem = `PRIVATE_KEY_FILE is ${PRIVATE_KEY_FILE}, which cannot be read (${text.code}). Check the path and who may read it.`;
    return { problems: [problem] };
  }
  const key = readPrivateKey(text);
  if (key.kind === 'read') return { pem: key.pem, problems: [] };
  const name = PRIVATE_KEY === undefined ? 'PRIVATE_KEY_FILE' : 'PRIVATE_KEY';
  return { problems: [`${name} ${key.problem} ${advice}`] };
}

function readText(path: string | undefined): string | { readonly code: string } | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path, 'utf8');
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
}

function toCredentials(values: EnvironmentValues, privateKey: string | undefined): Credentials | undefined {
  const { APP_ID: appId, WEBHOOK_SECRET: webhookSecret, SKILLKEEPER_SIGNING_KEY: signingKey } = values;
  if (!appId || !privateKey || !webhookSecret || !signingKey) return undefined;
  const previousWebhookSecret = values.WEBHOOK_SECRET_PREVIOUS;
  return { appId, privateKey, webhookSecret, previousWebhookSecret, signingKey };
}

function toSettings(values: EnvironmentValues, dataDirectory: string): BaseSettings {
  return {
    role: values.SKILLKEEPER_ROLE,
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL,
    webhookProxyUrl: values.WEBHOOK_PROXY_URL,
    githubUrl: values.GITHUB_URL,
    githubApiUrl: values.GITHUB_API_URL,
    queueRedisUrl: values.QUEUE_REDIS_URL,
    allowEviction: values.SKILLKEEPER_ALLOW_EVICTION,
    dataDirectory,
    concurrency: values.SKILLKEEPER_CONCURRENCY,
    graceMs: values.SKILLKEEPER_GRACE_MS,
    lockMs: values.SKILLKEEPER_LOCK_MS,
    logLevel: values.LOG_LEVEL,
  };
}
