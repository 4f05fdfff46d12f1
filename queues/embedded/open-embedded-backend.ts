import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { type BackendFactory, type ConnectionOptions, createPostgresBackend } from 'bullmq';
import type { Backend } from '../backend.ts';
import { QueueFault } from '../queue-fault.ts';
import { lockFolder } from './lock-folder.ts';
import { seedName } from './make-seed.ts';
import { openPglitePool, type PglitePool } from './pglite-pool.ts';
import { type Claims, openPgliteStore, prepareStore } from './pglite-store.ts';

export interface EmbeddedBackendOptions {
  /** Belongs to this process alone, on a disk of this machine. */
  readonly dataDir: string;
  readonly namespace: string;
  /** A folder that may hold the seed `make-seed.ts` writes; without one the database is created, more slowly. */
  readonly seedDir?: string;
}

/**
 * Opens the queue of a single process, kept in `dataDir`.
 *
 * Rejects with a `QueueFault`: `queue-folder-in-use` when another process has it, `queue-folder-unusable`.
 */
export async function openEmbeddedBackend(options: EmbeddedBackendOptions): Promise<Backend> {
  const { dataDir, namespace } = options;
  const folder = join(dataDir, 'queue');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(join(dataDir, 'queue.lock'));
  let database: PGlite | undefined;
  try {
    database = await openDatabase(folder, options.seedDir ?? dataDir);
    const pool = await openPglitePool(database);
    await prepareStore(database);
    await handBackOrphans(database);
    await tidy(database);
    await writeFile(join(folder, COMPLETE), '');
    return backendOver(database, pool, { folder, namespace, unlock });
  } catch (cause) {
    await database?.close().catch(() => {});
    await unlock();
    throw new QueueFault(
      'queue-folder-unusable',
      `The queue in ${folder} could not be opened: ${(cause as Error).message}. It holds queued work and nothing else: move it away, start again, and redeliver the last events on the page of the app on GitHub (Advanced).`,
      { cause },
    );
  }
}

const TIDY_EVERY_MS = 15 * 60_000;

/** PGlite runs none of the processes that clean up behind updates and cut the log: that is up to us (some 50 ms). */
async function tidy(database: PGlite): Promise<void> {
  await database.exec('VACUUM');
  await database.exec('CHECKPOINT');
}

/** A database without this file was left half made by a process that died, and is made anew. */
const COMPLETE = 'skillkeeper-complete';

async function openDatabase(folder: string, seedDir: string): Promise<PGlite> {
  if (existsSync(join(folder, COMPLETE))) return PGlite.create(folder);
  await rm(folder, { recursive: true, force: true });
  const seed = await readFile(join(seedDir, seedName())).catch(() => undefined);
  return PGlite.create(folder, seed === undefined ? {} : { loadDataDir: new Blob([seed]) });
}

/**
 * Nobody else can be working on this folder, so what is still marked as active belongs to a process that died.
 * It need not wait for its lock to run out: the first look for stalled jobs takes it back, and counts it.
 */
async function handBackOrphans(database: PGlite): Promise<void> {
  await database.exec(`
    UPDATE bullmq.job SET locked_until_ms = 0, stalled_marked = true WHERE state = 'active';
    DELETE FROM bullmq.meta WHERE field = 'stalled-check';`);
}

function backendOver(
  database: PGlite,
  pool: PglitePool,
  { folder, namespace, unlock }: { folder: string; namespace: string; unlock: () => Promise<void> },
): Backend {
  const claims: Claims = new Map();
  const connection = pool as unknown as ConnectionOptions;
  const tidying = setInterval(() => void tidy(database).catch(() => {}), TIDY_EVERY_MS).unref();
  let closing: Promise<void> | undefined;
  return {
    kind: 'embedded',
    place: folder,
    namespace,
    factory: createPostgresBackend as unknown as BackendFactory,
    producerConnection: connection,
    workerConnection: connection,
    openStore: name => openPgliteStore(database, claims, name),
    isReady: () => closing === undefined,
    async ping() {
      await database.query('SELECT 1');
    },
    close() {
      closing ??= (async () => {
        clearInterval(tidying);
        await pool.end();
        await database.close();
        await unlock();
      })();
      return closing;
    },
  };
}
