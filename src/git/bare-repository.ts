import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectFormat } from './object-id.ts';

/** A repository on this machine that the functions of this folder work on. */
export interface GitRepository {
  /** The bare repository's folder, absolute. */
  readonly gitDirectory: string;
  readonly objectFormat: ObjectFormat;
}

/**
 * Lays out an empty bare repository in the existing, empty folder `gitDirectory`. Written by hand instead of
 * by `git init`: no process to start, no template, no hooks. With `borrowFrom` it sees that repository's
 * objects and, when it fetches, offers that one's refs as what it has already.
 * Source: https://git-scm.com/docs/gitrepository-layout
 */
export async function layOutBareRepository(
  gitDirectory: string,
  objectFormat: ObjectFormat,
  borrowFrom?: GitRepository,
): Promise<GitRepository> {
  await mkdir(join(gitDirectory, 'objects', 'info'), { recursive: true });
  await mkdir(join(gitDirectory, 'objects', 'pack'));
  await mkdir(join(gitDirectory, 'refs', 'heads'), { recursive: true });
  await writeFile(join(gitDirectory, 'config'), configOf(objectFormat));
  if (borrowFrom !== undefined) {
    await writeFile(join(gitDirectory, 'objects', 'info', 'alternates'), alternateLine(borrowFrom));
  }
  await writeFile(join(gitDirectory, 'HEAD'), 'ref: refs/heads/none\n'); // last: with it, it is a repository
  return { gitDirectory, objectFormat };
}

function configOf(objectFormat: ObjectFormat): string {
  if (objectFormat === 'sha1') return '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
  return '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n';
}

function alternateLine(repository: GitRepository): string {
  const path = join(repository.gitDirectory, 'objects');
  // The file holds one path a line, absolute ones start with `/`; git reads `#` and `"` at a start as its own.
  if (!path.startsWith('/') || path.includes('\n')) {
    throw new TypeError(`not a path that git can borrow objects from: ${JSON.stringify(path)}`);
  }
  return `${path}\n`;
}
