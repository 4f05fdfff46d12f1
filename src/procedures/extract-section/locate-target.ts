import { codeSpan } from '../../markdown/code-span.ts';
import { decodeText } from '../../markdown/decode-text.ts';
import { type Document, parseDocument } from '../../markdown/document.ts';
import { findBundleMembers } from '../../skills/find-bundle-members.ts';
import { type Marketplace, readMarketplace } from '../../skills/read-marketplace.ts';
import { isWithin, parseRepoPath, type RepoPath } from '../../snapshot/repo-path.ts';
import { resolvePath } from '../../snapshot/resolve-path.ts';
import type { BlobId, Snapshot } from '../../snapshot/snapshot.ts';
import { ok, refuse, type Step } from './refusal.ts';

/** The largest target that is read. Ten times the largest SKILL.md seen in public repositories. */
const MAX_TARGET_BYTES = 5 * 1024 * 1024;

/** The file a section is taken from, read once. */
export interface Target {
  /** Where it really stands, symlinks of the tree followed. */
  readonly path: RepoPath;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly mode: '100644' | '100755';
  readonly blobId: BlobId;
  readonly document: Document;
  readonly warnings: readonly string[];
}

/** Finds and reads the target: a regular UTF-8 file inside the tree that is not the copy of another. */
export async function locateTarget(snapshot: Snapshot, given: string): Promise<Step<Target>> {
  const parsed = parseRepoPath(given);
  if (parsed.kind === 'unsafe') {
    return refuse('target outside repository', `${codeSpan(given)}: ${parsed.why}.`);
  }
  const resolved = await resolvePath(snapshot, parsed.path);
  if (resolved.kind === 'unsafe')
    return refuse('target outside repository', `${codeSpan(given)}: ${resolved.why}.`);
  if (resolved.kind === 'absent') {
    return refuse(
      'target file not found',
      `${codeSpan(given)} does not exist. Give the path from the repository's root.`,
    );
  }
  const { path, mode } = resolved.entry;
  if (mode !== '100644' && mode !== '100755') {
    return refuse(
      'target file not found',
      `${codeSpan(given)} is a folder. Name the Markdown file inside it.`,
    );
  }
  const warnings = resolved.throughSymlink
    ? [`${codeSpan(given)} is a symlink: worked on ${codeSpan(path)}.`]
    : [];
  const copy = await refuseBundleCopy(snapshot, path, warnings);
  return copy.kind === 'ok' ? readTarget(snapshot, path, mode, copy.value) : copy;
}

async function refuseBundleCopy(
  snapshot: Snapshot,
  path: RepoPath,
  warnings: readonly string[],
): Promise<Step<readonly string[]>> {
  const marketplace = await readMarketplace(snapshot);
  const members = await findBundleMembers(snapshot, marketplace);
  const member = members.find(({ copy }) => isWithin(copy, path));
  if (!member) return ok([...warnings, ...warnMalformed(marketplace)]);
  const canonical = member.canonical + path.slice(member.copy.length);
  return refuse(
    'target inside a bundle copy',
    `${codeSpan(path)} is the copy that bundle ${codeSpan(member.bundle)} serves. Extract from ${codeSpan(canonical)} instead.`,
  );
}

function warnMalformed(marketplace: Marketplace): string[] {
  if (marketplace.kind !== 'malformed') return [];
  return [
    '`.claude-plugin/marketplace.json` is malformed: whether the target is a bundle copy could not be told.',
  ];
}

async function readTarget(
  snapshot: Snapshot,
  path: RepoPath,
  mode: '100644' | '100755',
  warnings: readonly string[],
): Promise<Step<Target>> {
  const [bytes, blobId] = await Promise.all([snapshot.read(path), snapshot.blobId(path)]);
  if (!bytes || !blobId)
    return refuse('concurrent change', `${codeSpan(path)} went away while it was read. Try again.`);
  if (bytes.length > MAX_TARGET_BYTES) {
    return refuse(
      'target file too large',
      `${codeSpan(path)} has ${bytes.length} bytes, at most ${MAX_TARGET_BYTES} are read. Split it by hand first.`,
    );
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === 'not-text') {
    const where = `line ${decoded.lineNumber} of ${codeSpan(path)} holds ${decoded.fault === 'NUL' ? 'a NUL byte' : 'bytes that are not UTF-8'}`;
    return refuse('target not utf-8 text', `${where}. Save the file as UTF-8 and try again.`);
  }
  return ok({ path, bytes, text: decoded.text, mode, blobId, document: parseDocument(bytes), warnings });
}
