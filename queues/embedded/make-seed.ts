import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { LATEST_SCHEMA_VERSION } from 'bullmq';
import { openPglitePool } from './pglite-pool.ts';
import { prepareStore } from './pglite-store.ts';

/** The name of a seed: it fits exactly one database engine and one schema. */
export function seedName(): string {
  return `queue-seed-${pgliteVersion()}-${LATEST_SCHEMA_VERSION}.tar.gz`;
}

/**
 * Writes the seed of the embedded queue: an empty database with its schema, packed. Starting from it takes half
 * the time and half the memory of creating one. It appears at `file` complete or not at all.
 */
export async function makeSeed(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'queue-seed-'));
  try {
    const database = await PGlite.create(folder);
    await (await openPglitePool(database)).end();
    await prepareStore(database);
    await database.exec('CHECKPOINT');
    const packed = await database.dumpDataDir('gzip');
    await database.close();
    await mkdir(dirname(file), { recursive: true });
    const aside = `${file}.${randomUUID()}`;
    await writeFile(aside, Buffer.from(await packed.arrayBuffer()));
    await rename(aside, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pgliteVersion(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest = createRequire(main)(join(dirname(main), '..', 'package.json')) as { version: string };
  return manifest.version;
}

/** `make-seed.ts [folder]`: for the build of an image, so that no container has to create the database itself. */
async function main(): Promise<void> {
  const file = resolve(process.argv[2] ?? '.', seedName());
  await makeSeed(file);
  console.log(`${file} (${((await stat(file)).size / 1e6).toFixed(1)} MB)`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
