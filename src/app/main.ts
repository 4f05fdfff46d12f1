#!/usr/bin/env node
import { Fault } from '../fault/fault.ts';
import { createLog } from './create-log.ts';
import { readEnvironment, type Settings } from './read-environment.ts';
import { serveSetup } from './serve-setup.ts';
import { type RunningApp, startApp } from './start-app.ts';

const environment = readEnvironment(process.env, process.argv.slice(2));
if (environment.kind === 'invalid') {
  process.stderr.write(
    `Skillkeeper can not start:\n${environment.problems.map(problem => `  ${problem}\n`).join('')}`,
  );
  process.exit(2);
}

const { graceMs } = environment.settings;
const log = createLog(environment.settings);
let running: Promise<Pick<RunningApp, 'stop'>> =
  environment.kind === 'ready'
    ? startApp(environment.settings, log)
    : serveSetup(environment.settings, log, restart);
running.catch(fail);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));

// Set-up serves on the port the app will have: it goes before the app comes.
async function restart(settings: Settings): Promise<void> {
  const setup = await running;
  running = setup.stop(graceMs).then(() => startApp(settings, createLog(settings)));
  await running.catch(fail);
}

async function stop(signal: string): Promise<void> {
  log.info({ signal }, 'stopping');
  await running.then(({ stop: end }) => end(graceMs)).catch(fail);
  process.exit();
}

function fail(error: unknown): void {
  const message = error instanceof Fault ? error.message : String((error as Error)?.stack ?? error);
  process.stderr.write(`Skillkeeper can not go on: ${message}\n`);
  process.exit(1);
}
