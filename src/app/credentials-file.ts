import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../fault/fault.ts';

/** What set-up keeps, by the names the variables have. */
const CREDENTIALS = z.strictObject({
  APP_ID: z.string(),
  PRIVATE_KEY: z.string(),
  WEBHOOK_SECRET: z.string(),
  SKILLKEEPER_SIGNING_KEY: z.string(),
});

export type StoredCredentials = z.infer<typeof CREDENTIALS>;

export type CredentialsFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly values: StoredCredentials }
  | { readonly kind: 'refused'; readonly problem: string };

export function credentialsPath(dataDirectory: string): string {
  return join(dataDirectory, 'credentials.json');
}

/** Reads the file set-up wrote. One that others may read is refused: its secrets are not secret any more. */
export function readCredentialsFile(dataDirectory: string): CredentialsFile {
  const path = credentialsPath(dataDirectory);
  try {
    const { mode, text } = readWithMode(path);
    if ((mode & 0o077) !== 0) {
      const problem = `${path} can be read by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`;
      return { kind: 'refused', problem };
    }
    return { kind: 'read', values: CREDENTIALS.parse(JSON.parse(text)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' };
    if (code !== undefined)
      return { kind: 'refused', problem: `${path} cannot be read (${code}). Check who owns it.` };
    // The parsers' messages quote the file.
    const problem = `${path} does not hold what set-up wrote. Restore it, or delete it and set up again.`;
    return { kind: 'refused', problem };
  }
}

function readWithMode(path: string): { readonly mode: number; readonly text: string } {
  const file = openSync(path, 'r');
  try {
    return { mode: fstatSync(file).mode, text: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
}

/** Writes the file, readable by its owner alone, whole or not at all; never over one that exists. */
export async function writeCredentialsFile(dataDirectory: string, values: StoredCredentials): Promise<void> {
  const path = credentialsPath(dataDirectory);
  const aside = `${path}.${randomUUID()}`;
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(values, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(aside, path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already' : (code ?? message);
    throw new Fault('credentials-not-written', `Cannot write ${path}: ${why}.`, { cause });
  } finally {
    await rm(aside, { force: true });
  }
}
