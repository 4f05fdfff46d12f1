import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Text or bytes of a regular file, or a file of another kind; null removes what stood there. */
export type FileSpec =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly executable: true }
  | { readonly symlink: string }
  | { readonly submodule: string }
  | null;

export interface CommitSpec {
  /** Short name; `main` when left out. */
  readonly branch?: string;
  /** Path to file. Later commits of a branch build on what it held. */
  readonly files: Readonly<Record<string, FileSpec>>;
  readonly message?: string;
  /** A branch or commit to start from; without it the branch's own tip, or nothing. */
  readonly from?: string;
}

export interface RepositoryOptions {
  /** With a work tree the branch `main` is checked out. */
  readonly workTree?: boolean;
  readonly objectFormat?: 'sha1' | 'sha256';
}

export interface TestRepository {
  /** The work tree, or the bare repository. */
  readonly directory: string;
  readonly gitDirectory: string;
  /** Ids of the commits, in the order they were given. */
  readonly commits: readonly string[];
  /** Adds commits later; gives their ids. A work tree is left as it is. */
  readonly commit: (...specs: readonly CommitSpec[]) => readonly string[];
  /** Runs git there and gives what it wrote, without the last line break. */
  readonly git: (...args: readonly string[]) => string;
}

/**
 * Makes a repository in the new folder `directory`: the one place that builds repositories for tests. Bare ones
 * can be served and pushed to. Same input, same ids.
 */
export function makeRepository(
  directory: string,
  specs: readonly CommitSpec[],
  options: RepositoryOptions = {},
): TestRepository {
  mkdirSync(directory, { recursive: true });
  const format = `--object-format=${options.objectFormat ?? 'sha1'}`;
  const bare = options.workTree === true ? [] : ['--bare'];
  runGit(directory, ['init', '--quiet', '--template=', '--initial-branch=main', format, ...bare]);
  const gitDirectory = options.workTree === true ? join(directory, '.git') : directory;
  const git = (...args: readonly string[]): string =>
    runGit(directory, args).toString('utf8').replace(/\n$/, '');
  if (options.workTree !== true) appendFileSync(join(directory, 'config'), SERVED);
  const commit = (...added: readonly CommitSpec[]): readonly string[] =>
    importCommits(directory, gitDirectory, added);
  const commits = commit(...specs);
  if (options.workTree === true && specs.length > 0) git('reset', '--quiet', '--hard', 'main');
  return { directory, gitDirectory, commits, commit, git };
}

// What a forge allows: fetching any commit by its id, and pushing.
const SERVED =
  '[http]\n\treceivepack = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n[receive]\n\tautogc = false\n';

const MODES = { file: '100644', executable: '100755', symlink: '120000', submodule: '160000' } as const;

function importCommits(
  directory: string,
  gitDirectory: string,
  specs: readonly CommitSpec[],
): readonly string[] {
  if (specs.length === 0) return [];
  const started = new Set<string>();
  const parts = specs.map((spec, index) => {
    const ref = `refs/heads/${spec.branch ?? 'main'}`;
    const stands = !started.has(ref) && existsSync(join(gitDirectory, ref));
    started.add(ref);
    const from = spec.from ?? (stands ? `${ref}^0` : undefined);
    const time = 1_700_000_000 + index * 60;
    const head = `commit ${ref}\nmark :${index + 1}\ncommitter Test <test@example.com> ${time} +0000\n`;
    const message = data(spec.message ?? `commit ${index + 1}`);
    const start = from === undefined ? '' : `from ${from}\n`;
    return [
      head,
      message,
      start,
      ...Object.entries(spec.files).map(fileCommand),
      `\nget-mark :${index + 1}\n`,
    ];
  });
  const stream = Buffer.concat(
    parts.flat().map(part => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
  return runGit(directory, ['fast-import', '--quiet', '--force', '--date-format=raw'], stream)
    .toString('latin1')
    .trim()
    .split('\n');
}

function fileCommand([path, file]: [string, FileSpec]): Buffer {
  const name = `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  if (file === null) return Buffer.from(`D ${name}\n`);
  if (typeof file === 'string' || file instanceof Uint8Array) return inline(MODES.file, name, file);
  if ('symlink' in file) return inline(MODES.symlink, name, file.symlink);
  if ('submodule' in file) return Buffer.from(`M ${MODES.submodule} ${file.submodule} ${name}\n`);
  return inline(MODES.executable, name, file.content);
}

function inline(mode: string, name: string, content: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`M ${mode} inline ${name}\n`), data(content)]);
}

function data(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as Uint8Array);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function runGit(directory: string, args: readonly string[], input?: Buffer): Buffer {
  return execFileSync('git', args, {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: '/dev/null',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
    },
    maxBuffer: 1 << 30,
    ...(input === undefined ? {} : { input }),
  });
}
