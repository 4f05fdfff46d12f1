import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BatchReader } from '../git/batch-reader.ts';
import type { NewCommit } from '../git/new-commit.ts';
import { type CommitId, parseCommitId } from '../git/object-id.ts';
import { type RepoPath, repoPath } from '../snapshot/repo-path.ts';

const FILE = repoPath('run.json');

const schema = z.object({
  schema: z.literal(1),
  run: z.string(),
  repository: z.number(),
  issue: z.number(),
  comment: z.number(),
  command: z.string(),
  branch: z.string(),
  head: z.string(),
  commit: z.string(),
  title: z.string(),
  summary: z.string(),
  prose: z.string(),
  verdict: z.record(z.string(), z.unknown()),
});

/** What a writing run leaves behind in its run ref: enough to report it again without doing it again. */
export type Evidence = z.infer<typeof schema>;

/**
 * The commit of a run ref. It has no parent, and a nonce of its own for every attempt: git calls a ref that
 * already stands at the wanted commit up to date without looking at the lease.
 */
export function evidenceCommit(evidence: Evidence, person: NewCommit['author']): NewCommit {
  const bytes = Buffer.from(`${JSON.stringify(evidence, null, 2)}\n`, 'utf8');
  return {
    parent: null,
    author: person,
    committer: person,
    message: `Skillkeeper run ${evidence.run}\n\nattempt ${randomUUID()}\n`,
    changes: [{ kind: 'put', path: FILE as RepoPath, bytes, mode: '100644', expected: null }],
  };
}

/** Reads the evidence in a run ref's commit, which must have been fetched; undefined when it is none of ours. */
export async function readEvidence(reader: BatchReader, commit: CommitId): Promise<Evidence | undefined> {
  const file = await reader.read(`${commit}:${FILE}`);
  if (file?.type !== 'blob') return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(file.bytes.toString('utf8')));
    return parsed.success && parseCommitId(parsed.data.commit) ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
