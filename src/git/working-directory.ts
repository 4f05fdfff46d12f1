import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { computeBlobId } from '../snapshot/blob-id.ts';
import type { RepoPath } from '../snapshot/repo-path.ts';
import type { Entry, EntryMode, Snapshot } from '../snapshot/snapshot.ts';
import { runGit } from './run-git.ts';

/**
 * The files of a checkout as they are on disk: tracked ones and untracked ones that are not ignored (`children`
 * shows ignored ones too: they occupy their names). A file is read once and stays as it was read, so that a plan
 * rests on one state; open another snapshot to see what changed since. No symlink is followed, of a folder
 * neither.
 */
export function openWorkingDirectory(root: string): Snapshot {
  const seen = new Map<RepoPath, Promise<Uint8Array | undefined>>();
  const read = (path: RepoPath) => {
    const bytes = seen.get(path) ?? readBlob(root, path);
    seen.set(path, bytes);
    return bytes;
  };
  return {
    list: () => listFiles(root),
    children: folder => listFolder(root, folder),
    read,
    blobId: async path => {
      const bytes = await read(path);
      return bytes && computeBlobId(bytes);
    },
  };
}

async function listFiles(root: string): Promise<Entry[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { stdout } = await runGit({ directory: root, args, profile: 'checkout' });
  const paths = stdout.toString('utf8').split('\0').filter(Boolean);
  const entries = await Promise.all(paths.map(path => describe(root, path.replace(/\/$/u, '') as RepoPath)));
  return entries.filter(entry => entry !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function listFolder(root: string, folder: RepoPath | ''): Promise<Entry[]> {
  if (!(await isRealFolder(root, folder))) return [];
  const names = await readdir(join(root, folder));
  const paths = names
    .filter(name => name.toLowerCase() !== '.git')
    .map(name => (folder === '' ? name : `${folder}/${name}`) as RepoPath);
  const entries = await Promise.all(paths.map(path => describe(root, path)));
  return entries.filter(entry => entry !== undefined);
}

async function describe(root: string, path: RepoPath): Promise<Entry | undefined> {
  const stat = await lstat(join(root, path)).catch(nullWhenAbsent);
  if (!stat) return undefined;
  if (stat.isSymbolicLink()) return { path, mode: '120000' };
  if (stat.isDirectory()) return { path, mode: await folderMode(root, path) };
  // Sockets, pipes and devices are shown as files: they occupy the name, and reading one gives nothing.
  return { path, mode: stat.mode & 0o100 ? '100755' : '100644' };
}

async function folderMode(root: string, path: RepoPath): Promise<EntryMode> {
  return (await lstat(join(root, path, '.git')).catch(nullWhenAbsent)) ? '160000' : '040000';
}

async function readBlob(root: string, path: RepoPath): Promise<Uint8Array | undefined> {
  const slash = path.lastIndexOf('/');
  if (!(await isRealFolder(root, slash < 0 ? '' : (path.slice(0, slash) as RepoPath)))) return undefined;
  const file = join(root, path);
  const stat = await lstat(file).catch(nullWhenAbsent);
  if (stat?.isSymbolicLink()) return Buffer.from(await readlink(file), 'utf8');
  if (!stat?.isFile()) return undefined;
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

// A folder reached through a symlink is not the folder of that path.
async function isRealFolder(root: string, folder: RepoPath | ''): Promise<boolean> {
  const asked = join(await realpath(root), folder);
  const real = await realpath(asked).catch(nullWhenAbsent);
  if (real !== asked) return false;
  return (await lstat(real)).isDirectory();
}

function nullWhenAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ELOOP') return null;
  throw error;
}
