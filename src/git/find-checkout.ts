import { stat } from 'node:fs/promises';
import { GitFault } from './git-fault.ts';
import { runGit } from './run-git.ts';

export type FoundCheckout =
  /** `root` is absolute, symlinks resolved; `prefix` is the way down from it to where the search began, `''` at the root. */
  | { readonly kind: 'found'; readonly root: string; readonly gitDirectory: string; readonly prefix: string }
  | { readonly kind: 'not-a-repository'; readonly why: string };

/** Finds the working tree around a folder. A bare repository has none. Works before the first commit. */
export async function findCheckout(directory: string): Promise<FoundCheckout> {
  const isFolder = await stat(directory).then(
    found => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return { kind: 'not-a-repository', why: 'there is no such folder' };
  const args = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--show-prefix'];
  try {
    const { stdout } = await runGit({ directory, args, profile: 'checkout' });
    const [root = '', gitDirectory = '', prefix = ''] = stdout.toString('utf8').split('\n');
    return { kind: 'found', root, gitDirectory, prefix: prefix.replace(/\/$/u, '') };
  } catch (error) {
    if (!(error instanceof GitFault) || error.code !== 'git-failed') throw error;
    return { kind: 'not-a-repository', why: error.stderr.split('\n')[0] ?? '' };
  }
}
