/** Hexadecimal git object id of a commit: 40 digits (SHA-1) or 64 (SHA-256), lower case. */
export type CommitId = string & { readonly __brand: 'CommitId' };

/** How a repository names its objects. GitHub has `sha1` only; git itself knows both. */
export type ObjectFormat = 'sha1' | 'sha256';

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** True for a whole object id as git writes it. Abbreviations and upper case are not ids. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

/** Reads a commit id somebody else wrote (an event, a command, git's output); undefined when it is none. */
export function parseCommitId(text: string): CommitId | undefined {
  return isObjectId(text) ? (text as CommitId) : undefined;
}

/** `parseCommitId` for ids the program itself made: anything else is a mistake of ours and throws. */
export function commitId(text: string): CommitId {
  const id = parseCommitId(text);
  if (id === undefined) throw new TypeError(`not a commit id: ${JSON.stringify(text)}`);
  return id;
}

/** The format an id belongs to, told by its length. */
export function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? 'sha256' : 'sha1';
}
