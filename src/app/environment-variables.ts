import { z } from 'zod';

/**
 * Every variable there is: its check, its default and what the docs say of it. A message continues the sentence
 * that begins with the variable's name. `appsPage` is where this GitHub lists the apps one owns.
 */
export function environmentVariables(appsPage = 'https://github.com/settings/apps') {
  const openApp = `Open ${appsPage}, choose your app`;
  return z.object({
    APP_ID: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, `is not a number. ${openApp}: "App ID" stands at the top of the page.`)
      .transform(Number)
      .optional()
      .meta({ description: "The app's number." }),
    PRIVATE_KEY: z.string().optional().meta({
      description:
        "The app's private key: PEM (PKCS#1 or PKCS#8) as it is, with `\\n` for line ends, or in base64.",
    }),
    PRIVATE_KEY_FILE: z
      .string()
      .optional()
      .meta({ description: 'A file that holds the private key, instead of `PRIVATE_KEY`.' }),
    WEBHOOK_SECRET: secret(
      `${openApp}, section "Webhook": enter a longer secret there (\`openssl rand -hex 32\` makes one) and give the same here.`,
    ).meta({ description: 'The secret GitHub signs deliveries with; at least 32 characters.' }),
    WEBHOOK_SECRET_PREVIOUS: secret('Give the whole old secret, or remove the variable.').meta({
      description: 'The secret before, accepted too while you change it on GitHub.',
    }),
    SKILLKEEPER_SIGNING_KEY: secret('Make one with `openssl rand -hex 32` and keep it.').meta({
      description:
        'Signs what Skillkeeper leaves on GitHub for itself; at least 32 characters. Made at set-up. Keep it: with another one, open gates and earlier runs are not recognised.',
    }),
    QUEUE_REDIS_URL: z
      .string()
      .refine(isRedisAddress, 'is no Redis address. Write it as redis://host:6379 or rediss://host:6379.')
      .optional()
      .meta({ description: 'Redis for the queue. Without it an embedded queue, for one process.' }),
    SKILLKEEPER_ALLOW_EVICTION: flag().meta({
      description: 'Start although Redis may evict jobs (`maxmemory-policy` other than `noeviction`).',
    }),
    SKILLKEEPER_DATA_DIR: z.string().optional().meta({
      description: 'Repository store, embedded queue and credentials. One for each host, never shared.',
      fallback: '`$XDG_STATE_HOME/skillkeeper`, or `~/.local/state/skillkeeper`',
    }),
    SKILLKEEPER_ROLE: z
      .enum(['all', 'web', 'worker'], {
        error: 'is none of all, web, worker. Say one of them, here or as the first argument.',
      })
      .prefault('all')
      .meta({ description: 'What this process does: `all`, `web` or `worker`. Also the first argument.' }),
    SKILLKEEPER_CONCURRENCY: wholeNumber(1, 64).prefault('4').meta({
      description: 'How many runs a worker works on at a time, 1 to 64.',
    }),
    SKILLKEEPER_GRACE_MS: wholeNumber(0, 900_000).prefault('8000').meta({
      description:
        'How long running jobs may finish after SIGTERM, in milliseconds. `docker stop` waits for ten seconds.',
    }),
    SKILLKEEPER_LOCK_MS: wholeNumber(1000, 600_000).prefault('60000').meta({
      description:
        'How long a job stays with a worker that shows no sign of life, in milliseconds, before another one takes it.',
    }),
    HOST: z
      .string()
      .prefault('127.0.0.1')
      .meta({ description: 'The address to listen on. The image sets `0.0.0.0`.' }),
    PORT: wholeNumber(0, 65_535)
      .prefault('3000')
      .meta({ description: 'The port to listen on; 0 for any free one.' }),
    PUBLIC_URL: address('Give the address GitHub reaches this server at.').optional().meta({
      description: 'Where GitHub and people reach this server; needed for set-up.',
    }),
    WEBHOOK_PROXY_URL: address('Open https://smee.io/new and give the address you get.').optional().meta({
      description:
        'A smee.io channel that brings deliveries to a machine GitHub cannot reach; development only.',
    }),
    GITHUB_API_URL: address('GitHub Enterprise Server: https://<host>/api/v3.')
      .prefault('https://api.github.com')
      .meta({ description: "GitHub's API. GitHub Enterprise Server: `https://<host>/api/v3`." }),
    GITHUB_URL: address('GitHub Enterprise Server: https://<host>.')
      .prefault('https://github.com')
      .meta({ description: "GitHub's site. GitHub Enterprise Server: `https://<host>`." }),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
        error: 'is none of trace, debug, info, warn, error, fatal, silent. Say one of them.',
      })
      .prefault('info')
      .meta({ description: 'What is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`.' }),
  });
}

export type EnvironmentValues = z.output<ReturnType<typeof environmentVariables>>;

function secret(advice: string) {
  return z
    .string()
    .refine(text => text === text.trim(), 'has white space around it. Remove it, and set the same on GitHub.')
    .min(32, `has fewer than 32 characters. ${advice}`)
    .optional();
}

function flag() {
  return z
    .enum(['1', 'true', '0', 'false'], { error: 'is neither 1 nor 0. Set it to 1, or remove it.' })
    .prefault('0')
    .transform(text => text === '1' || text === 'true');
}

function wholeNumber(least: number, most: number) {
  const message = `is no whole number from ${least} to ${most}. Set one, or remove it.`;
  return z
    .string()
    .regex(/^\d{1,6}$/, { error: message, abort: true })
    .transform(Number)
    .refine(number => number >= least && number <= most, message);
}

function isRedisAddress(text: string): boolean {
  return URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol) && new URL(text).hostname !== '';
}

/** An https address without a slash at its end. Plain http would show tokens to the network, but for loopback. */
function address(advice: string) {
  return z.string().transform((text, context) => {
    const problem = findAddressProblem(text);
    if (problem === undefined) return text.replace(/\/+$/, '');
    context.addIssue(`${problem} ${advice}`);
    return z.NEVER;
  });
}

function findAddressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'is no address that begins with https://.';
  if (url.username !== '' || url.password !== '') return 'holds a user or a password. Remove it.';
  if (url.search !== '' || url.hash !== '') return 'has a query or a fragment. Remove it.';
  if (url.protocol === 'http:' && !isLoopback(text))
    return 'begins with http://, which is allowed for 127.0.0.1 and localhost only. Use https://.';
  return undefined;
}

/** Whether an address leads to this very machine. */
export function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(address).hostname);
}
