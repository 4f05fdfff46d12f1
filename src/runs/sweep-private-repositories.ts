import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer than any run may take; what is older belongs to a process that was killed. */
const LEFT_MS = 3_600_000;

/** The folder in which runs make their private repositories. */
export function privateFolder(dataDirectory: string): string {
  return join(dataDirectory, 'runs');
}

/** Makes that folder and removes what killed processes left in it. Other processes may be working there. */
export async function sweepPrivateRepositories(dataDirectory: string, now: number): Promise<void> {
  const folder = privateFolder(dataDirectory);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined); // another process swept it meanwhile
    if (found && now - found.mtimeMs > LEFT_MS) await rm(path, { recursive: true, force: true });
  }
}
