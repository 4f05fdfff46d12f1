import { type Logger, pino } from 'pino';
import { redactorFor } from '../git/redact.ts';
import type { BaseSettings, Settings } from './read-environment.ts';

/** Makes the log: JSON lines in which no secret of the settings and nothing that looks like a token stands. */
export function createLog(
  settings: BaseSettings | Settings,
  destination: { readonly write: (line: string) => unknown } = process.stdout,
): Logger {
  const redact = redactorFor(secretsOf(settings));
  // On the values, not on the line: a mask could swallow a quote and break it.
  const clean = (_: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  const write = (line: string) => destination.write(`${JSON.stringify(JSON.parse(line), clean)}\n`);
  return pino({ level: settings.logLevel }, { write });
}

function secretsOf(settings: BaseSettings | Settings): string[] {
  const secrets = 'signingKey' in settings ? [settings.privateKey, settings.signingKey] : [];
  if ('webhookSecret' in settings) secrets.push(settings.webhookSecret, settings.previousWebhookSecret ?? '');
  if (settings.queueRedisUrl !== undefined) secrets.push(new URL(settings.queueRedisUrl).password);
  return secrets;
}
