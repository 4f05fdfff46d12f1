import type { Account, Repository } from '../world/world.ts';
import { git } from './run-git.ts';

/** Text or bytes of a regular file; `executable`, or a link; null removes what stood there. */
export type TwinFile =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly executable: true }
  | { readonly symlink: string }
  | null;

export interface CommitInput {
  readonly files: Readonly<Record<string, TwinFile>>;
  readonly message: string;
  /** Null starts a history of its own. */
  readonly parent: string | null;
  readonly author: Account;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export function emailOf(account: Account): string {
  return `${account.id}+${account.login}@users.noreply.github.com`;
}

/** Writes a commit that no ref points at yet, and gives its id. */
export async function writeCommit(repository: Repository, input: CommitInput): Promise<string> {
  const scratch = `refs/twin/scratch-${Math.random().toString(36).slice(2)}`;
  const who = `${input.author.login} <${emailOf(input.author)}> ${Math.floor(input.time / 1000)} +0000`;
  const parts = [
    `commit ${scratch}\nmark :1\nauthor ${who}\ncommitter ${who}\n`,
    data(input.message),
    input.parent === null ? '' : `from ${input.parent}\n`,
    ...Object.entries(input.files).map(fileCommand),
    `\nget-mark :1\nreset ${scratch}\nfrom ${'0'.repeat(40)}\n\n`,
  ];
  const stream = Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
  return git(repository.directory, ['fast-import', '--quiet', '--force', '--date-format=raw'], stream);
}

function fileCommand([path, file]: [string, TwinFile]): Buffer {
  const name = `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  if (file === null) return Buffer.from(`D ${name}\n`);
  if (typeof file === 'string' || file instanceof Uint8Array) return inline('100644', name, file);
  if ('symlink' in file) return inline('120000', name, file.symlink);
  return inline('100755', name, file.content);
}

function inline(mode: string, name: string, content: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`M ${mode} inline ${name}\n`), data(content)]);
}

function data(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as Uint8Array);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
