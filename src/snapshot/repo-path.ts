/** A path from the root of a repository: POSIX separators, no `.` or `..`, not empty, safe to write to. */
export type RepoPath = string & { readonly __brand: 'RepoPath' };

/** Git accepts longer ones, most file systems do not. Bytes of UTF-8. */
const MAX_COMPONENT_BYTES = 255;
const MAX_PATH_BYTES = 4096;

// Code points HFS+ drops when it compares names: `.g\u200cit` opens `.git` there (CVE-2014-9390).
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const CONTROL = /[\u0000-\u001f\u007f]/u;

export type RepoPathResult =
  | { readonly kind: 'ok'; readonly path: RepoPath }
  | { readonly kind: 'unsafe'; readonly why: string };

/**
 * Reads a repository-relative path as somebody wrote it. Lexical only: symlinks and case collisions depend on
 * a tree and are `checkChanges`' work. A leading `./` and repeated slashes are dropped; everything that could
 * leave the tree, reach git's own files or mean different files on different systems is `unsafe`, with a
 * sentence that says why.
 */
export function parseRepoPath(text: string): RepoPathResult {
  const whole = whyUnsafeWhole(text);
  if (whole) return { kind: 'unsafe', why: whole };
  const parts = text.split('/').filter(part => part !== '' && part !== '.');
  if (parts.length === 0) return { kind: 'unsafe', why: 'it names no file' };
  for (const part of parts) {
    const why = whyUnsafePart(part);
    if (why) return { kind: 'unsafe', why };
  }
  return { kind: 'ok', path: parts.join('/') as RepoPath };
}

/** `parseRepoPath` for paths the program itself made: an unsafe one is a mistake of ours and throws. */
export function repoPath(text: string): RepoPath {
  const result = parseRepoPath(text);
  if (result.kind === 'unsafe')
    throw new TypeError(`not a safe repository path: ${JSON.stringify(text)}: ${result.why}`);
  return result.path;
}

/** True for `.github/workflows` and everything below it, in any case: GitHub refuses a push by an App there. */
export function isWorkflowPath(path: string): boolean {
  return /^\.github\/workflows(\/|$)/iu.test(path);
}

/** The folder a path stands in; `''` for the root. */
export function parentOf(path: RepoPath): RepoPath | '' {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : (path.slice(0, slash) as RepoPath);
}

/** The last component of a path. */
export function baseNameOf(path: RepoPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** True when `path` is `folder` or stands below it; the root (`''`) holds everything. */
export function isWithin(folder: RepoPath | '', path: RepoPath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Two paths with the same key are one file on a case-insensitive or normalising file system. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function whyUnsafeWhole(text: string): string | undefined {
  if (text.trim() === '') return 'it is empty';
  if (text.includes('\0')) return 'it holds a NUL character';
  if (!text.isWellFormed()) return 'it holds half of a surrogate pair';
  if (CONTROL.test(text)) return 'it holds a control character';
  if (text.includes('\\')) return 'it holds a backslash; use `/` between folders';
  if (text.startsWith('/')) return 'it is absolute; give it relative to the repository';
  if (text === '~' || text.startsWith('~/')) return 'it starts with `~`; give it relative to the repository';
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
  return undefined;
}

function whyUnsafePart(part: string): string | undefined {
  if (part === '..') return 'it climbs out with `..`';
  if (isGitDirectory(part)) return 'it reaches into `.git`';
  if (part.includes(':')) return 'it holds a colon, which names a drive or a stream on Windows';
  if (Buffer.byteLength(part) > MAX_COMPONENT_BYTES)
    return `a name in it is longer than ${MAX_COMPONENT_BYTES} bytes`;
  return undefined;
}

/** `.git` as any file system may spell it: other case, trailing dots and blanks, `git~1`, HFS+ ignored marks. */
function isGitDirectory(part: string): boolean {
  const plain = part
    .replace(HFS_IGNORED, '')
    .replace(/[. ]+$/u, '')
    .toLowerCase();
  return plain === '.git' || /^git~\d+$/u.test(plain) || plain.startsWith('.git:');
}
