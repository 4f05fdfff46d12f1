import { execFileSync } from 'node:child_process';
import type { TestRepository } from '../twin/make-repository.ts';

/** Whatever git lists, in git's words: mode, id and path of each blob, symlink and submodule. */
export function lsTree(repository: TestRepository, commit: string, ...options: string[]): string[][] {
  const out = execFileSync('git', ['-C', repository.directory, 'ls-tree', '-z', ...options, commit]);
  return out
    .toString('latin1')
    .split('\0')
    .filter(Boolean)
    .map(line => {
      const tab = line.indexOf('\t');
      const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
      return [mode, id, line.slice(tab + 1)];
    });
}
