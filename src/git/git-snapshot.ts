import type { RepoPath } from '../snapshot/repo-path.ts';
import type { BlobId, Entry, EntryMode, Snapshot } from '../snapshot/snapshot.ts';
import type { BatchReader } from './batch-reader.ts';
import { GitFault } from './git-fault.ts';
import type { GitObject } from './git-object.ts';
import { type CommitId, formatOf } from './object-id.ts';
import { parseTree } from './parse-tree.ts';

interface Node {
  readonly mode: EntryMode;
  readonly id: string;
}
/** What stands in a folder, by name. */
type Tree = ReadonlyMap<string, Node>;

/** Trees by id. They never change, so one cache may serve many snapshots of the same repository. */
type TreeCache = Map<string, Promise<Tree>>;

export interface GitSnapshotOptions {
  readonly reader: BatchReader;
  readonly commit: CommitId;
  readonly trees?: TreeCache;
}

/**
 * The files of a commit as a `Snapshot`, read from git's objects when asked for: one file costs the folders
 * above it, never a listing of the repository. Names that are not UTF-8 are left out, since no path of ours
 * can mean them. Rejects with `git-object-missing` when the commit, or something it holds, is not there.
 */
export function openGitSnapshot({ reader, commit, trees = new Map() }: GitSnapshotOptions): Snapshot {
  const format = formatOf(commit);
  const root = once(async () => toTree(await wanted(reader, `${commit}^{tree}`), format));

  const treeOf = (id: string): Promise<Tree> => {
    const cached = trees.get(id);
    if (cached !== undefined) return cached;
    const tree = wanted(reader, id).then(object => toTree(object, format));
    trees.set(id, tree);
    tree.catch(() => trees.delete(id)); // a reader that died must not be remembered
    return tree;
  };
  const folderAt = async (folder: string): Promise<Tree | undefined> => {
    let tree = await root();
    for (const name of folder === '' ? [] : folder.split('/')) {
      const node = tree.get(name);
      if (node?.mode !== '040000') return undefined;
      tree = await treeOf(node.id);
    }
    return tree;
  };
  const blobAt = async (path: RepoPath): Promise<BlobId | undefined> => {
    const slash = path.lastIndexOf('/');
    const folder = await folderAt(path.slice(0, Math.max(0, slash)));
    const node = folder?.get(path.slice(slash + 1));
    return node === undefined || isNoBlob(node) ? undefined : (node.id as BlobId);
  };
  const listBelow = async (tree: Tree, prefix: string): Promise<Entry[]> => {
    const parts = [...tree].map(async ([name, { mode, id }]) => {
      const path = `${prefix}${name}`;
      return mode === '040000' ? listBelow(await treeOf(id), `${path}/`) : [entry(path, mode)];
    });
    return (await Promise.all(parts)).flat();
  };

  return {
    list: async () => (await listBelow(await root(), '')).sort(byPath),
    children: async folder => {
      const tree = (await folderAt(folder)) ?? new Map<string, Node>();
      const prefix = folder === '' ? '' : `${folder}/`;
      return [...tree].map(([name, { mode }]) => entry(`${prefix}${name}`, mode)).sort(byPath);
    },
    read: async path => {
      const id = await blobAt(path);
      return id === undefined ? undefined : (await wanted(reader, id)).bytes;
    },
    blobId: blobAt,
  };
}

function toTree(object: GitObject, format: 'sha1' | 'sha256'): Tree {
  if (object.type !== 'tree') {
    throw new GitFault('git-object-unexpected', `Object ${object.id} is a ${object.type}, not a tree.`);
  }
  const tree = new Map<string, Node>();
  for (const { nameBytes, mode, id } of parseTree(object.bytes, format)) {
    const name = nameBytes.toString('utf8');
    // U+FFFD may be a character of the name; only then the bytes are compared.
    if (name.includes('\ufffd') && !Buffer.from(name).equals(nameBytes)) continue;
    tree.set(name, { mode, id });
  }
  return tree;
}

async function wanted(reader: BatchReader, name: string): Promise<GitObject> {
  const object = await reader.read(name);
  if (object !== undefined) return object;
  const message = `The repository has no object ${name}. Fetch the commit again.`;
  throw new GitFault('git-object-missing', message, { retry: 'now' });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function isNoBlob(node: Node): boolean {
  return node.mode === '040000' || node.mode === '160000';
}

function entry(path: string, mode: EntryMode): Entry {
  return { path: path as RepoPath, mode };
}

function byPath(a: Entry, b: Entry): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
