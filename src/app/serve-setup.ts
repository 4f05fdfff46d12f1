import type { Logger } from 'pino';
import type { Handle } from './answer.ts';
import { createManifestFlow } from './manifest-flow.ts';
import { type BaseSettings, readEnvironment, type Settings } from './read-environment.ts';
import { serveHttp } from './serve-http.ts';

/** Serves set-up while there are no credentials; `onConfigured` is called once GitHub made the app. */
export async function serveSetup(
  settings: BaseSettings,
  log: Logger,
  onConfigured: (settings: Settings) => Promise<void>,
): Promise<{ readonly stop: (graceMs: number) => Promise<void> }> {
  const routes = new Map<string, Handle>();
  const isReady = async () => ({ ready: false, reason: 'the app is not set up yet' }) as const;
  const server = await serveHttp({ host: settings.host, port: settings.port, routes, isReady, log });
  const flow = createManifestFlow({
    settings,
    localUrl: server.url,
    readAgain: () => readEnvironment(process.env, process.argv.slice(2)),
    onConfigured,
    log,
  });
  for (const [path, handle] of flow.routes) routes.set(path, handle);
  // Not through the log: it unlocks set-up, and logs are kept and read by many.
  process.stdout.write(`Skillkeeper has no app on GitHub yet. Set it up here: ${flow.setupUrl}\n`);
  return { stop: graceMs => server.close(graceMs) };
}
