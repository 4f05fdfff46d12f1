import type { EntryMode } from '../snapshot/snapshot.ts';
import { GitFault } from './git-fault.ts';
import type { NewCommit, Person } from './new-commit.ts';
import { quotePath } from './quote-path.ts';

/** The modes of the files a commit moves, by the path they come from: a move keeps the mode. */
export type MovedModes = ReadonlyMap<string, EntryMode>;

/**
 * The commits as a stream for `git fast-import --done`, each on a ref of its own, followed by a request for its
 * id. The stream says `done` at its end: git takes a cut one as an error and changes nothing.
 */
export function fastImportStream(commits: readonly NewCommit[], modes: readonly MovedModes[]): Buffer {
  const parts: Buffer[] = [line('feature done')];
  commits.forEach((commit, index) => {
    parts.push(...commitParts(commit, index + 1, modes[index] ?? new Map()), line(`get-mark :${index + 1}`));
  });
  return Buffer.concat([...parts, line('done')]);
}

function commitParts(commit: NewCommit, mark: number, modes: MovedModes): Buffer[] {
  return [
    line(`commit refs/run/commit-${mark}`),
    line(`mark :${mark}`),
    line(`author ${personLine(commit.author)}`),
    line(`committer ${personLine(commit.committer)}`),
    ...data(messageBytes(commit.message)),
    ...(commit.parent === null ? [] : [line(`from ${commit.parent}`)]),
    ...changeParts(commit, modes),
  ];
}

/** Everything that goes away goes first: a new file may stand where a folder stood, or below an old file's name. */
function changeParts({ changes }: NewCommit, modes: MovedModes): Buffer[] {
  const gone = changes.flatMap(change => {
    if (change.kind === 'put') return [];
    return [line(`D ${quotePath(change.kind === 'move' ? change.from : change.path)}`)];
  });
  const come = changes.flatMap(change => {
    if (change.kind === 'delete') return [];
    if (change.kind === 'move') {
      return [line(`M ${modes.get(change.from) ?? '100644'} ${change.expected} ${quotePath(change.to)}`)];
    }
    return [line(`M ${change.mode} inline ${quotePath(change.path)}`), ...data(change.bytes)];
  });
  return [...gone, ...come];
}

/** `Name <address> <seconds> +0000`. The marks that end a part cannot stand inside one: git drops them too. */
function personLine({ name, email, at }: Person): string {
  const [cleanName, cleanEmail] = [name, email].map(text =>
    text.replace(/[<>\u0000-\u001f\u007f]/g, '').trim(),
  );
  const seconds = Math.floor(at.getTime() / 1000);
  if (!cleanName || !cleanEmail || !(seconds >= 0)) {
    const message = 'A commit was not written: its author or committer lacks a name, an address or a date.';
    throw new GitFault('git-bad-name', message);
  }
  return `${cleanName} <${cleanEmail}> ${seconds} +0000`;
}

function messageBytes(message: string): Buffer {
  if (message.includes('\0')) {
    throw new GitFault('git-bad-name', 'A commit was not written: its message holds a NUL character.');
  }
  return Buffer.from(message);
}

function data(bytes: Uint8Array): Buffer[] {
  return [line(`data ${bytes.length}`), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), line('')];
}

function line(text: string): Buffer {
  return Buffer.from(`${text}\n`);
}
