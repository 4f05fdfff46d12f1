import type { EntryMode } from '../snapshot/snapshot.ts';
import { GitFault } from './git-fault.ts';
import type { ObjectFormat } from './object-id.ts';

/** One line of a tree object. */
export interface TreeEntry {
  /** As stored: git asks no encoding of names. */
  readonly nameBytes: Buffer;
  readonly mode: EntryMode;
  readonly id: string;
}

const SPACE = 0x20;
const NUL = 0x00;

/**
 * Reads the bytes of a tree object: `<octal mode> <name> NUL <raw id>`, again and again. Modes come out as git
 * reads them (old trees hold 100664, which git takes for 100644). Throws `git-bad-output` for anything else.
 */
export function parseTree(bytes: Buffer, format: ObjectFormat): TreeEntry[] {
  const idBytes = format === 'sha256' ? 32 : 20;
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(SPACE, at);
    const nul = bytes.indexOf(NUL, space + 1);
    const end = nul + 1 + idBytes;
    if (space <= at || nul <= space + 1 || end > bytes.length)
      throw malformed('it is cut or has an empty part');
    entries.push({
      mode: entryMode(bytes.toString('latin1', at, space)),
      nameBytes: bytes.subarray(space + 1, nul),
      id: bytes.toString('hex', nul + 1, end),
    });
    at = end;
  }
  return entries;
}

/** The type bits decide, and for files whether the owner may execute: `canon_mode` in git's cache.h. */
function entryMode(octal: string): EntryMode {
  if (!/^[0-7]{1,7}$/.test(octal)) throw malformed('a mode in it is no octal number');
  const mode = Number.parseInt(octal, 8);
  switch (mode & 0o170000) {
    case 0o100000:
      return mode & 0o100 ? '100755' : '100644';
    case 0o120000:
      return '120000';
    case 0o040000:
      return '040000';
    default:
      return '160000';
  }
}

function malformed(why: string): GitFault {
  return new GitFault(
    'git-bad-output',
    `A tree object cannot be read: ${why}. Check the repository with git fsck.`,
  );
}
