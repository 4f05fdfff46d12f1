import type { GitRepository } from './bare-repository.ts';
import { type BatchAnswer, createBatchParser } from './batch-parser.ts';
import { GitFault } from './git-fault.ts';
import type { GitObject } from './git-object.ts';
import { isObjectId } from './object-id.ts';
import { parseRefName } from './ref-name.ts';
import { spawnGit } from './spawn-git.ts';

/** One `git cat-file --batch` that answers many reads. */
export interface BatchReader {
  /**
   * The object a name stands for: a whole id, a full ref, `<either>^{tree}`, `<either>^{commit}` or
   * `<either>:<path>`; undefined when there is none.
   * Reads may overlap; they are answered in order. Rejects with `git-bad-name` (a line break, another form),
   * `git-object-too-large`, or `git-failed` when the process ended.
   */
  readonly read: (name: string) => Promise<GitObject | undefined>;
  /** Answers what was asked so far, then ends the process. */
  readonly close: () => Promise<void>;
}

export interface BatchReaderOptions {
  /** Larger objects are skipped, not read: bytes, 64 MiB when left out. */
  readonly maxObjectBytes?: number;
  /** Ends the process at once. */
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly name: string;
  readonly answer: (object: GitObject | undefined) => void;
  readonly fail: (fault: GitFault) => void;
}

const MAX_OBJECT_BYTES = 64 * 1024 * 1024;
const CLOSE_MS = 2000;

/** Starts the reader of one repository. It must be closed. */
export function openBatchReader(repository: GitRepository, options: BatchReaderOptions = {}): BatchReader {
  const maxObjectBytes = options.maxObjectBytes ?? MAX_OBJECT_BYTES;
  const { gitDirectory } = repository;
  const git = spawnGit({
    directory: gitDirectory,
    gitDirectory,
    profile: 'sealed',
    args: ['cat-file', '--batch'],
  });
  const waiting: Waiting[] = [];
  let next = 0; // a moving head: shifting a long queue would be quadratic
  let dead: GitFault | undefined;
  let said = '';

  const parse = createBatchParser({ maxObjectBytes }, answer => {
    const asked = waiting[next];
    next += 1;
    if (next === waiting.length) {
      waiting.length = 0;
      next = 0;
    }
    if (asked === undefined)
      die(new GitFault('git-bad-output', 'git cat-file answered more than it was asked.'));
    else settle(asked, answer, maxObjectBytes);
  });
  const die = (fault: GitFault): void => {
    dead ??= fault;
    for (const asked of waiting.splice(0).slice(next)) asked.fail(dead);
    next = 0;
  };

  git.stdout.on('data', (chunk: Buffer) => {
    if (dead !== undefined) return;
    try {
      parse(chunk);
    } catch (cause) {
      die(cause as GitFault);
      git.stop();
    }
  });
  git.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  const abort = (): void => git.stop();
  options.signal?.addEventListener('abort', abort, { once: true });
  const ended = git.ended.then(
    ({ exitCode }) => die(endFault(exitCode, said)),
    cause => die(cause),
  );
  if (options.signal?.aborted) abort();

  return {
    read: name =>
      new Promise((answer, fail) => {
        const why = whyUnreadable(name);
        if (why !== undefined) return fail(new GitFault('git-bad-name', `Cannot read an object: ${why}.`));
        if (dead !== undefined) return fail(dead);
        waiting.push({ name, answer, fail });
        git.stdin.write(`${name}\n`);
      }),
    close: async () => {
      const late = setTimeout(git.stop, CLOSE_MS);
      git.stdin.end();
      await ended;
      clearTimeout(late);
      options.signal?.removeEventListener('abort', abort);
    },
  };
}

/** Gives one read its answer. */
function settle({ name, answer, fail }: Waiting, given: BatchAnswer, maxObjectBytes: number): void {
  if (given.kind === 'object') {
    answer(given.object);
  } else if (given.kind === 'too-large') {
    const size = `${given.id} holds ${given.size} bytes`;
    const message = `An object was not read: ${size}, more than the ${maxObjectBytes} that are allowed.`;
    fail(new GitFault('git-object-too-large', message));
  } else if (given.line === `${name} missing` || given.line.endsWith(' submodule')) {
    answer(undefined);
  } else {
    const message = `git cat-file gave no object: ${given.line}. Ask by a whole object id.`;
    fail(new GitFault('git-bad-name', message));
  }
}

// Only these forms: git would die of others, such as `@{u}` of a ref or a path from a working directory.
const NAME =
  /^(?<start>[0-9a-f]{40}(?:[0-9a-f]{24})?|refs\/[^:^]+)(?:\^\{(?:tree|commit)\}|:(?!\.{1,2}(?:\/|$)).*)?$/u;

function whyUnreadable(name: string): string | undefined {
  if (/[\n\0]/.test(name)) return 'its name holds a line break or a NUL';
  if (!name.isWellFormed()) return 'its name holds half of a surrogate pair';
  const start = NAME.exec(name)?.groups?.start ?? '';
  const known = isObjectId(start) || parseRefName(start).kind === 'ok';
  return known ? undefined : `${JSON.stringify(name)} is no whole id or ref, nor a tree or path of one`;
}

function endFault(exitCode: number | null, said: string): GitFault {
  const why = said.trim() === '' ? `exit code ${exitCode}` : said.trim();
  const message = `git cat-file has ended (${why}). Open a new reader.`;
  return new GitFault('git-failed', message, { exitCode, args: ['cat-file', '--batch'], retry: 'now' });
}
