import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchCommit } from '../../src/git/fetch-commit.ts';
import { type CommitId, commitId } from '../../src/git/object-id.ts';
import { createPrivateRepository, type PrivateRepository } from '../../src/git/private-repository.ts';
import { pushRefs, type RefUpdate } from '../../src/git/push.ts';
import { readPushReport } from '../../src/git/read-push-report.ts';
import { readRemoteRefs } from '../../src/git/read-remote-refs.ts';
import { remoteOf } from '../../src/git/remote.ts';
import { writeCommits } from '../../src/git/write-commit.ts';
import { repoPath } from '../../src/snapshot/repo-path.ts';
import { makeRepository, type TestRepository } from '../twin/make-repository.ts';
import { serveGit, type Verdict } from '../twin/serve-git.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const TOKEN = `ghs_${'p'.repeat(40)}`;
let verdict: Verdict = 'serve';
let beforeRequest: ((path: string) => void) | undefined;
const server = await serveGit({
  root,
  token: TOKEN,
  judge: ({ path, method }) => {
    beforeRequest?.(`${method} ${path}`);
    return verdict;
  },
});
afterAll(() => server.close());

let count = 0;
let forge: TestRepository;
let head: CommitId;
let mine: PrivateRepository;
const remote = () =>
  remoteOf({ url: server.urlOf(`acme${count}.git`), loopbackHttpOrigin: server.origin, token: TOKEN });
const at = (ref: string): string => forge.git('for-each-ref', '--format=%(objectname)', ref);
const person = { name: 'bot', email: 'bot@example.com', at: new Date('2024-01-01T00:00:00Z') };
const BRANCH = 'refs/heads/main';
const RUN = 'refs/skillkeeper/runs/r1';

async function makeCommits(
  nonce: string,
  parent: CommitId = head,
): Promise<{ result: CommitId; run: CommitId }> {
  const file = (path: string, text: string) =>
    ({
      kind: 'put',
      path: repoPath(path),
      bytes: Buffer.from(text),
      mode: '100644',
      expected: null,
    }) as const;
  const common = { author: person, committer: person };
  const [result, run] = await writeCommits(mine, [
    { ...common, parent, message: 'work', changes: [file('new.md', 'new\n')] },
    { ...common, parent: null, message: `run r1 attempt ${nonce}`, changes: [file('verdict.json', '{}\n')] },
  ]);
  return { result: result as CommitId, run: run as CommitId };
}
const both = (
  { result, run }: { result: CommitId; run: CommitId },
  expected: CommitId = head,
): RefUpdate[] => [
  { ref: BRANCH, to: result, expected },
  { ref: RUN, to: run, expected: null },
];

beforeEach(async () => {
  verdict = 'serve';
  beforeRequest = undefined;
  count += 1;
  forge = makeRepository(join(root, `acme${count}.git`), [{ files: { 'a.md': 'a\n' } }]);
  head = commitId(forge.commits[0] ?? '');
  mine = await createPrivateRepository(undefined, { parent: root });
  await fetchCommit(mine, remote(), head);
  return () => mine.remove();
});

describe('pushRefs', () => {
  it('moves branch and run ref together', async () => {
    const commits = await makeCommits('1');
    expect(await pushRefs(mine, remote(), both(commits))).toEqual({
      kind: 'pushed',
      refs: [
        { ref: BRANCH, as: 'updated' },
        { ref: RUN, as: 'created' },
      ],
    });
    expect([at(BRANCH), at(RUN)]).toEqual([commits.result, commits.run]);
    expect(forge.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('finds the branch moved, says which ref, and moves nothing', async () => {
    const commits = await makeCommits('1');
    const [theirs] = forge.commit({ files: { 'theirs.md': 'x' } });
    expect(await pushRefs(mine, remote(), both(commits))).toEqual({ kind: 'stale', refs: [BRANCH] });
    expect([at(BRANCH), at(RUN)]).toEqual([theirs, '']);
  });

  it('finds the branch gone', async () => {
    const commits = await makeCommits('1');
    forge.git('update-ref', '-d', BRANCH);
    expect(await pushRefs(mine, remote(), both(commits))).toEqual({ kind: 'stale', refs: [BRANCH] });
    expect(at(RUN)).toBe('');
  });

  it('finds a branch that moves while it pushes', async () => {
    const commits = await makeCommits('1');
    let theirs = '';
    beforeRequest = request => {
      if (!request.startsWith('POST') || theirs !== '') return;
      theirs = forge.commit({ files: { 'theirs.md': 'x' } })[0] ?? '';
    };
    expect(await pushRefs(mine, remote(), both(commits))).toEqual({ kind: 'stale', refs: [BRANCH] });
    expect([at(BRANCH), at(RUN)]).toEqual([theirs, '']);
  });

  it('calls identical commits what they are: unchanged, not pushed', async () => {
    const commits = await makeCommits('same');
    await pushRefs(mine, remote(), both(commits));
    expect(await pushRefs(mine, remote(), both(commits))).toEqual({ kind: 'unchanged' });
    const again = await makeCommits('same');
    expect(again).toEqual(commits);
    forge.git('update-ref', BRANCH, head); // git does not look at the lease of a ref that is up to date
    const outcome = await pushRefs(mine, remote(), both(again));
    expect(outcome).toMatchObject({
      kind: 'pushed',
      refs: [{ as: 'updated' }, { ref: RUN, as: 'unchanged' }],
    });
  });

  it('removes a ref under its lease', async () => {
    const commits = await makeCommits('1');
    await pushRefs(mine, remote(), both(commits));
    const wrong = await pushRefs(mine, remote(), [{ ref: RUN, to: null, expected: head }]);
    expect(wrong).toEqual({ kind: 'stale', refs: [RUN] });
    const right = await pushRefs(mine, remote(), [{ ref: RUN, to: null, expected: commits.run }]);
    expect(right).toEqual({ kind: 'pushed', refs: [{ ref: RUN, as: 'deleted' }] });
    expect(at(RUN)).toBe('');
  });

  it('passes on what the remote says when it refuses, and moves nothing', async () => {
    const hook = join(forge.gitDirectory, 'hooks', 'update');
    mkdirSync(join(forge.gitDirectory, 'hooks'));
    writeFileSync(
      hook,
      `#!/bin/sh\n[ "$1" != "${BRANCH}" ] || { echo "GH006: Protected branch: ${TOKEN}" >&2; exit 1; }\n`,
    );
    chmodSync(hook, 0o755);
    const outcome = await pushRefs(mine, remote(), both(await makeCommits('1')));
    expect(outcome).toMatchObject({ kind: 'refused', ref: BRANCH });
    expect(outcome.kind === 'refused' && outcome.message).toMatch(
      /^hook declined\nGH006: Protected branch: \*\*\*\n/,
    );
    expect([at(BRANCH), at(RUN)]).toEqual([head, '']);
  });

  it('tells a ref that cannot be made from one that moved', async () => {
    forge.git('update-ref', 'refs/heads/topic', head);
    const { result } = await makeCommits('1');
    const outcome = await pushRefs(mine, remote(), [
      { ref: 'refs/heads/topic/below', to: result, expected: null },
    ]);
    expect(outcome).toMatchObject({ kind: 'refused', ref: 'refs/heads/topic/below' });
  });

  it('knows a repository that is gone, a token that may not, and a remote that is down', async () => {
    const updates = both(await makeCommits('1'));
    verdict = 'not-found';
    expect(await pushRefs(mine, remote(), updates)).toEqual({ kind: 'gone', what: 'repository' });
    verdict = 'forbidden';
    await expect(pushRefs(mine, remote(), updates)).rejects.toMatchObject({ code: 'git-auth' });
    verdict = 'unavailable';
    await expect(pushRefs(mine, remote(), updates)).rejects.toMatchObject({
      code: 'git-network',
      retry: 'later',
    });
    expect([at(BRANCH), at(RUN)]).toEqual([head, '']);
  });

  it('faults with git-network when the connection breaks in the middle', async () => {
    const updates = both(await makeCommits('1'));
    beforeRequest = request => {
      if (request.startsWith('POST')) verdict = 'hang-up';
    };
    await expect(pushRefs(mine, remote(), updates)).rejects.toMatchObject({
      code: 'git-network',
      retry: 'later',
    });
  });

  it('refuses hostile and unclear refs before git sees them', async () => {
    const hostile = ['-x', '--force', '--receive-pack=touch x', ':refs/heads/main', '+refs/heads/main'];
    const unclear = ['main', 'HEAD', 'refs/heads/*', 'refs/heads/a:b', 'refs/heads/a b'];
    const before = server.requests.length;
    for (const ref of [...hostile, ...unclear]) {
      const call = pushRefs(mine, remote(), [{ ref, to: head, expected: null }]);
      await expect(call).rejects.toMatchObject({ code: 'git-bad-name' });
    }
    expect(server.requests.length).toBe(before);
  });

  it('refuses what is no commit id', async () => {
    for (const to of ['main', '--x', `${head}:refs/heads/x`] as CommitId[]) {
      await expect(pushRefs(mine, remote(), [{ ref: BRANCH, to, expected: head }])).rejects.toMatchObject({
        code: 'git-bad-name',
      });
    }
  });
});

describe('exactly once', () => {
  /** One attempt of the run: what the product does, with a nonce of its own. */
  async function attempt(nonce: string, options: { dieBeforePush?: boolean } = {}) {
    const commits = await makeCommits(nonce);
    return options.dieBeforePush ? 'died' : pushRefs(mine, remote(), both(commits));
  }
  const ours = (): string => forge.git('rev-list', '--count', '--grep=work', BRANCH);

  it('lands nothing when it died before the push, then lands once', async () => {
    await attempt('1', { dieBeforePush: true });
    expect(ours()).toBe('0');
    expect(await attempt('2')).toMatchObject({ kind: 'pushed' });
    expect(ours()).toBe('1');
  });

  it('refuses the retry of a run that landed, whole', async () => {
    await attempt('1');
    const [branch, run] = [at(BRANCH), at(RUN)];
    expect(await attempt('2')).toMatchObject({ kind: 'stale', refs: expect.arrayContaining([RUN]) });
    expect([at(BRANCH), at(RUN)]).toEqual([branch, run]);
  });

  it('leaves a branch as a person rewound it', async () => {
    await attempt('1');
    const run = at(RUN);
    forge.git('update-ref', BRANCH, head);
    expect(await attempt('2')).toEqual({ kind: 'stale', refs: [RUN] });
    expect([at(BRANCH), at(RUN)]).toEqual([head, run]);
    expect(ours()).toBe('0');
  });
});

describe('readRemoteRefs', () => {
  it('tells where exactly the named refs stand', async () => {
    forge.git('update-ref', 'refs/x/refs/heads/main', head);
    forge.git('update-ref', 'refs/heads/dev', head);
    const some = await readRemoteRefs(mine, remote(), [BRANCH, 'refs/heads/none']);
    expect(some).toEqual({ kind: 'read', refs: new Map([[BRANCH, head]]) });
    const all = await readRemoteRefs(mine, remote(), ['refs/heads/*']);
    expect(all.kind === 'read' && [...all.refs.keys()].sort()).toEqual(['refs/heads/dev', BRANCH]);
    await expect(readRemoteRefs(mine, remote(), ['--upload-pack=x'])).rejects.toMatchObject({
      code: 'git-bad-name',
    });
  });

  it('reports a repository that is not there as gone', async () => {
    rmSync(forge.directory, { recursive: true });
    expect(await readRemoteRefs(mine, remote(), [BRANCH])).toEqual({ kind: 'gone', what: 'repository' });
  });
});

describe('readPushReport', () => {
  it('reads the words of a remote that git passes on', () => {
    const lines = readPushReport(
      [
        'To https://github.com/acme/skills.git',
        '!\tabc:refs/heads/a\t[remote rejected] (push declined due to repository rule violations)',
        '!\tabc:refs/heads/b\t[remote rejected] (refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission)',
        '!\tabc:refs/heads/c\t[rejected] (atomic push failed)',
        '!\t(delete):refs/heads/d\t[remote failure] (remote failed to report status)',
        'Done',
      ].join('\n'),
    );
    expect(
      lines.map(line => line.kind === 'rejected' && `${line.ref} ${line.by}: ${line.why.slice(0, 30)}`),
    ).toEqual([
      'refs/heads/a remote: push declined due to repositor',
      'refs/heads/b remote: refusing to allow a GitHub App',
      'refs/heads/c git: atomic push failed',
      'refs/heads/d remote: remote failed to report status',
    ]);
  });

  it('refuses a flag that git does not document', () => {
    expect(() => readPushReport('?\ta:b\tx\n')).toThrow(/unknown to us/);
  });
});
