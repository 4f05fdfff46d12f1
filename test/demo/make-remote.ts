import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitId } from '../../src/git/object-id.ts';
import { commitId } from '../../src/git/object-id.ts';
import { remoteOf } from '../../src/git/remote.ts';
import { runGit } from '../../src/git/run-git.ts';
import { makeRepository } from '../twin/make-repository.ts';

export interface DemoRemote {
  /** Name of the bare repository below the server's root. */
  readonly name: string;
  readonly gitDirectory: string;
  readonly branch: string;
  readonly head: CommitId;
}

const SAMPLE = join(import.meta.dirname, 'sample');

/** A bare repository with our own sample skill, whose checklist has outgrown its SKILL.md. */
export function makeSampleRemote(root: string): DemoRemote {
  const names = readdirSync(SAMPLE, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.md'),
  );
  const files = Object.fromEntries(names.map(name => [name, readFileSync(join(SAMPLE, name))]));
  const made = makeRepository(join(root, 'sample.git'), [{ files, message: 'The sample skills' }]);
  const head = commitId(made.git('rev-parse', 'refs/heads/main'));
  return { name: 'sample.git', gitDirectory: made.gitDirectory, branch: 'main', head };
}

/** A throw-away bare clone of a local repository, at the commit its HEAD stands on; the original is only read. */
export async function cloneForDemo(root: string, directory: string): Promise<DemoRemote> {
  const gitDirectory = join(root, 'clone.git');
  await mkdir(root, { recursive: true });
  const source = await runGit({ directory, args: ['rev-parse', '--absolute-git-dir'], profile: 'checkout' });
  const url = source.stdout.toString('utf8').trim();
  const head = await runGit({ directory, args: ['rev-parse', 'HEAD^{commit}'], profile: 'checkout' });
  const commit = commitId(head.stdout.toString('utf8').trim());
  await runGit({
    directory: root,
    args: ['init', '--quiet', '--bare', '--template=', '--initial-branch=demo', gitDirectory],
  });
  const remote = remoteOf({ url, allowLocalPath: true });
  const refspec = 'HEAD:refs/heads/demo';
  await runGit({
    directory: root,
    gitDirectory,
    remote,
    args: ['fetch', '--quiet', '--no-tags', '--end-of-options', url, refspec],
  });
  return { name: 'clone.git', gitDirectory, branch: 'demo', head: commit };
}
