import type { EnvironmentValues } from './environment-variables.ts';

/** The variables that are set, as strings. */
export type GivenVariables = Readonly<Record<string, string | undefined>>;

/** Names that hint at a mistake. */
export function checkNames(given: GivenVariables): string[] {
  const problems: string[] = [];
  if (given.REDIS_URL !== undefined && given.QUEUE_REDIS_URL === undefined)
    problems.push(
      'REDIS_URL is set, which Skillkeeper does not read. Call it QUEUE_REDIS_URL, or remove it.',
    );
  if (given.PRIVATE_KEY !== undefined && given.PRIVATE_KEY_FILE !== undefined)
    problems.push('PRIVATE_KEY and PRIVATE_KEY_FILE are both set. Keep one of them.');
  return problems;
}

/** Credentials that are missing while others are there. The private key is not looked at. */
export function checkCredentials(given: GivenVariables, appsPage: string): string[] {
  const openApp = `Open ${appsPage}, choose your app`;
  const advice = {
    APP_ID: `${openApp}: "App ID" stands at the top of the page.`,
    WEBHOOK_SECRET: `${openApp}, section "Webhook": enter a secret of at least 32 characters there (\`openssl rand -hex 32\` makes one) and give the same here.`,
    SKILLKEEPER_SIGNING_KEY:
      'Make one with `openssl rand -hex 32` and keep it: with another one, open gates and earlier runs are not recognised.',
  };
  const missing = Object.entries(advice).filter(([name]) => given[name] === undefined);
  return missing.map(([name, what]) => `${name} is not set. ${what}`);
}

/** What each variable alone cannot tell. */
export function checkTogether(values: EnvironmentValues, isUnconfigured: boolean): string[] {
  const { SKILLKEEPER_ROLE: role, QUEUE_REDIS_URL, GITHUB_URL, GITHUB_API_URL } = values;
  const problems: string[] = [];
  if (role !== 'all' && QUEUE_REDIS_URL === undefined)
    problems.push(
      `QUEUE_REDIS_URL is not set, and SKILLKEEPER_ROLE is ${role}: several processes need Redis between them. Set it, or run one process with the role all.`,
    );
  if (role === 'worker' && isUnconfigured)
    problems.push(
      'APP_ID is not set, and a worker serves no set-up. Set up with the role web or all, then give the worker the same credentials.',
    );
  if ((GITHUB_URL === 'https://github.com') !== (GITHUB_API_URL === 'https://api.github.com'))
    problems.push(
      `GITHUB_API_URL is ${GITHUB_API_URL} and GITHUB_URL is ${GITHUB_URL}: they belong to different GitHubs. Set both (GitHub Enterprise Server: https://<host>/api/v3 and https://<host>) or none.`,
    );
  return problems;
}
