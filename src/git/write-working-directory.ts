import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Change, ChangeSet } from '../snapshot/change-set.ts';
import { type CheckedChanges, checkChanges } from '../snapshot/check-changes.ts';
import { openWorkingDirectory } from './working-directory.ts';
import { WorkingDirectoryFault } from './working-directory-fault.ts';

export type WriteOutcome =
  | { readonly kind: 'written'; readonly undo: () => Promise<void> }
  | Exclude<CheckedChanges, { kind: 'ok' }>;

/**
 * Writes a change set into a checkout, all of it or nothing. Every file is first written whole beside its place
 * and read back, then put there in one step that fails if the place changed since the plan; what was done is
 * undone when a later file fails. `undo` of the result takes it all back.
 * Throws a `WorkingDirectoryFault` (`write-failed`) when the file system refuses.
 */
export async function writeWorkingDirectory(root: string, changes: ChangeSet): Promise<WriteOutcome> {
  const undos: (() => Promise<void>)[] = [];
  const undo = async () => {
    for (const step of undos.splice(0).reverse()) await step();
  };
  try {
    const first = await checkChanges(openWorkingDirectory(root), changes);
    if (first.kind !== 'ok') return first;
    const staged = new Map<Change, string>();
    for (const change of changes) {
      if (change.kind === 'put') staged.set(change, await stage(root, change, undos));
      if (change.kind === 'move') await makeFolders(root, change.to, undos);
    }
    // Staging takes time: what was true before it is asked again right before the files change places.
    const again = await checkChanges(openWorkingDirectory(root), changes);
    if (again.kind !== 'ok') {
      await undo();
      return again;
    }
    for (const change of changes) await place(root, change, staged.get(change), undos);
    return { kind: 'written', undo };
  } catch (error) {
    await undo();
    const path = changes.map(change => (change.kind === 'move' ? change.to : change.path)).join(', ');
    throw new WorkingDirectoryFault(
      `Could not write ${path}: ${(error as Error).message}. Nothing was changed.`,
      error,
    );
  }
}

type Undos = (() => Promise<void>)[];

async function stage(root: string, put: Extract<Change, { kind: 'put' }>, undos: Undos): Promise<string> {
  await makeFolders(root, put.path, undos);
  const temporary = join(root, dirname(put.path), `.skillkeeper-${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
  undos.push(() => rm(temporary, { force: true }));
  try {
    await handle.writeFile(put.bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await copyPermissions(root, put, temporary);
  if (Buffer.compare(await readFile(temporary), put.bytes) !== 0)
    throw new Error('the disk gave back other bytes than were written');
  return temporary;
}

async function copyPermissions(
  root: string,
  put: Extract<Change, { kind: 'put' }>,
  temporary: string,
): Promise<void> {
  if (put.expected !== null) await chmod(temporary, (await lstat(join(root, put.path))).mode & 0o7777);
  else if (put.mode === '100755') await chmod(temporary, (await lstat(temporary)).mode | 0o111);
}

async function place(root: string, change: Change, staged: string | undefined, undos: Undos): Promise<void> {
  if (change.kind === 'put')
    return placePut(join(root, change.path), change.expected === null, staged as string, undos);
  const from = join(root, change.kind === 'move' ? change.from : change.path);
  if (change.kind === 'move') {
    const to = join(root, change.to);
    await putNew(from, to);
    undos.push(() => rm(to, { force: true }));
  }
  await keepAside(from, undos);
}

async function placePut(file: string, isNew: boolean, staged: string, undos: Undos): Promise<void> {
  if (!isNew) {
    await keepAside(file, undos, false);
    return rename(staged, file);
  }
  await putNew(staged, file);
  undos.push(() => rm(file, { force: true }));
  await unlink(staged);
}

// Neither a link nor an exclusive copy replaces what appeared at `to` meanwhile; a rename would.
async function putNew(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL); // file systems without hard links
  });
}

// What is replaced or removed stays reachable under another name until it is known that everything went well.
async function keepAside(file: string, undos: Undos, remove = true): Promise<void> {
  const [bytes, stat] = await Promise.all([readFile(file), lstat(file)]);
  undos.push(async () => {
    const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
    const handle = await open(temporary, 'wx', stat.mode & 0o7777);
    await handle.writeFile(bytes);
    await handle.close();
    await rename(temporary, file);
  });
  if (remove) await unlink(file);
}

async function makeFolders(root: string, path: string, undos: Undos): Promise<void> {
  const parts = dirname(path)
    .split('/')
    .filter(part => part !== '.');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const folder = join(root, ...parts.slice(0, depth));
    const isNew = await mkdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (isNew) undos.push(() => rmdir(folder).catch(() => undefined)); // not ours any more once it holds something
  }
}
