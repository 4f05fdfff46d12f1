import type { Logger } from 'pino';
import type { Probot } from 'probot';
import { openBackend } from '../../queues/open-backend.ts';
import { openQueues, type Queues } from '../../queues/open-queues.ts';
import { shutDown } from '../../queues/shut-down.ts';
import { startWorkers, type Workers } from '../../queues/start-workers.ts';
import { sweepPrivateRepositories } from '../runs/sweep-private-repositories.ts';
import { createProbot } from './create-probot.ts';
import { enqueueOnce } from './enqueue-once.ts';
import { handleJobs, tellGivenUp } from './handle-jobs.ts';
import { jobsOfEvent } from './jobs-of-event.ts';
import { openDependencies } from './open-dependencies.ts';
import type { Settings } from './read-environment.ts';
import { receiveFromProxy } from './receive-from-proxy.ts';
import { receiveWebhook, WEBHOOK_PATH } from './receive-webhook.ts';
import { type HttpServer, type Readiness, serveHttp } from './serve-http.ts';

export interface RunningApp {
  readonly url: string;
  /** Takes nothing new, lets running jobs finish for `graceMs`, hands the others back, closes everything. */
  readonly stop: (graceMs: number) => Promise<void>;
}

const READY_MS = 1000;

/** Starts what the role asks for: the web side (events in), the worker side (jobs out), or both. */
export async function startApp(settings: Settings, log: Logger): Promise<RunningApp> {
  const { role, dataDirectory: dataDir, queueRedisUrl: redisUrl, allowEviction } = settings;
  const backend = await openBackend({
    redisUrl,
    allowEviction,
    dataDir,
    namespace: `skillkeeper-${settings.appId}`,
  });
  const queues = openQueues(backend);
  await sweepPrivateRepositories(dataDir, Date.now());
  const workers = role === 'web' ? undefined : startWorking(settings, backend, log);
  const server = await serve(settings, queues, workers, log);
  const proxy = await followProxy(settings, server, log);
  log.info({ url: server.url, role, queue: backend.kind }, 'skillkeeper is ready');
  return {
    url: server.url,
    stop: async graceMs => {
      await proxy?.close();
      await server.close(graceMs);
      await shutDown({ ...(workers ? { workers } : {}), queues, backend }, graceMs);
    },
  };
}

// In development GitHub cannot reach this machine: a proxy keeps the events, and we fetch them from there.
async function followProxy({ webhookProxyUrl: source, role }: Settings, server: HttpServer, log: Logger) {
  if (source === undefined || role === 'worker') return undefined;
  return receiveFromProxy({ source, target: `${server.url}${WEBHOOK_PATH}`, log });
}

function startWorking(
  settings: Settings,
  backend: Awaited<ReturnType<typeof openBackend>>,
  log: Logger,
): Workers {
  const dependencies = openDependencies(settings, log);
  return startWorkers(backend, handleJobs(dependencies), {
    concurrency: { run: settings.concurrency, check: settings.concurrency },
    lockMs: settings.lockMs,
    stalledMs: settings.lockMs / 4,
    onGivenUp: givenUp => tellGivenUp(givenUp, dependencies),
    onError: error => log.warn({ err: error }, 'the queue had a problem'),
  });
}

async function serve(
  settings: Settings,
  queues: Queues,
  workers: Workers | undefined,
  log: Logger,
): Promise<HttpServer> {
  const routes = new Map();
  if (settings.role !== 'worker') {
    const { appId, privateKey, webhookSecret, previousWebhookSecret, githubApiUrl } = settings;
    const handlers = (app: Probot) =>
      app.onAny(async event => enqueueOnce(queues, { appId, deliveryId: event.id }, jobsOfEvent(event)));
    const probot = await createProbot({ appId, privateKey, webhookSecret, githubApiUrl, log, handlers });
    const secrets = [webhookSecret, ...(previousWebhookSecret === undefined ? [] : [previousWebhookSecret])];
    routes.set(WEBHOOK_PATH, receiveWebhook({ appId, secrets, probot, log }));
  }
  return serveHttp({
    host: settings.host,
    port: settings.port,
    routes,
    log,
    isReady: () => readiness(queues, workers),
  });
}

// A queue that does not answer throws; the page then shows the fault's code and not the address in its message.
async function readiness(queues: Queues, workers: Workers | undefined): Promise<Readiness> {
  if (workers && !workers.isAlive()) return { ready: false, reason: 'the workers have stopped' };
  await queues.ping(READY_MS);
  return { ready: true };
}
