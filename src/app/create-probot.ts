import type { Logger } from 'pino';
import { Probot } from 'probot';

export interface ProbotOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly githubApiUrl: string;
  readonly log: Logger;
  /** Registers what listens to events. */
  readonly handlers: (app: Probot) => void;
}

/**
 * Makes a Probot from explicit options and waits until it is ready. Left to itself Probot reads the environment,
 * falls back to a well-known secret and, with `REDIS_URL` set, installs a Redis client at run time (its `run`).
 * It serves no HTTP here: events reach it through `receive`.
 */
export async function createProbot(options: ProbotOptions): Promise<Probot> {
  const probot = new Probot({
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    baseUrl: options.githubApiUrl,
    log: withoutPayloads(options.log),
  });
  await probot.ready();
  options.handlers(probot);
  return probot;
}

/**
 * Probot logs whole events and request bodies at `debug`, and octokit hangs the event on every error a handler
 * throws: neither belongs in a log.
 */
function withoutPayloads(log: Logger): Logger {
  const level = log.isLevelEnabled('debug') ? 'info' : log.level;
  return log.child({}, { level, serializers: { err: describeError } });
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { type: name, ...('code' in error ? { code: error.code } : {}), message, stack };
}
