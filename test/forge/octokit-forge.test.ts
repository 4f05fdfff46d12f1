import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commitId } from '../../src/git/object-id.ts';
import type { Thread } from '../twin/world/world.ts';
import { type ForgeScene, openForgeScene } from './forge-scene.ts';

let scene: ForgeScene;
let pull: Thread;
beforeAll(async () => {
  scene = await openForgeScene({ limits: { contentPerMinute: 1000 } });
  await scene.twin.push({ repo: 'acme/docs', branch: 'topic', files: { 'a.md': 'A\n' }, author: 'mara' });
  pull = await scene.twin.openPullRequest({ repo: 'acme/docs', author: 'mara', head: 'topic' });
});
afterEach(() => scene.twin.assertClean());
afterAll(() => scene.close());

const ours = (body: string) => scene.forge.createComment(1, body);
const theirs = (body: string) => scene.twin.comment({ repo: 'acme/docs', number: 1, author: 'mara', body });
const found = <Value>(value: Value) => ({ kind: 'found', value });

describe('a repository and its people', () => {
  it('tells the facts, with the address git uses', async () => {
    expect(await scene.forge.repository()).toEqual(
      found({
        id: scene.repository.id,
        owner: 'acme',
        name: 'docs',
        fullName: 'acme/docs',
        defaultBranch: 'main',
        isArchived: false,
        cloneUrl: scene.twin.gitUrl('acme/docs'),
      }),
    );
  });

  it.each(['admin', 'maintain', 'write', 'triage', 'read'] as const)('reads the role %s', async role => {
    scene.twin.createUser(`has-${role}`);
    scene.twin.setRole('acme/docs', `has-${role}`, role);
    expect(await scene.forge.role(`has-${role}`)).toBe(role);
  });

  it('counts a custom role as the one it is built on', async () => {
    const path = /\/collaborators\/mara\/permission$/;
    const body = { permission: 'write', role_name: 'docs-gardener', user: null };
    scene.twin.failNext({ path, status: 200, body });
    expect(await scene.forge.role('mara')).toBe('write');
  });

  it('gives nobody a role for an unknown name', async () => {
    expect(await scene.forge.role('nobody-of-that-name')).toBe('none');
  });

  it.each(['dependabot[bot]', 'Renovate[BOT]', '../../../app', 'a/b', '', '.', '..'])(
    'does not even ask about %j',
    async login => {
      const asked = scene.twin.requests.length;
      expect(await scene.forge.role(login)).toBe('none');
      expect(scene.twin.requests).toHaveLength(asked);
    },
  );

  it('knows where a branch stands, also one with slashes, and that one is not there', async () => {
    const head = await scene.twin.push({
      repo: 'acme/docs',
      branch: 'fix/a#b',
      files: { 'b.md': 'B\n' },
      author: 'mara',
    });
    expect(await scene.forge.branchHead('fix/a#b')).toEqual(found(head));
    expect(await scene.forge.branchHead('fix')).toEqual({ kind: 'gone', what: 'branch fix' });
  });
});

describe('threads', () => {
  it('tells an issue from a pull request', async () => {
    expect(await scene.forge.thread(1)).toEqual(
      found({ number: 1, state: 'open', isPull: false, isLocked: false }),
    );
    expect(await scene.forge.thread(pull.number)).toMatchObject(found({ isPull: true }));
    expect(await scene.forge.thread(999)).toEqual({ kind: 'gone', what: 'thread #999' });
  });

  it('reads a pull request', async () => {
    expect(await scene.forge.pull(pull.number)).toEqual(
      found({
        number: pull.number,
        state: 'open',
        isMerged: false,
        isDraft: false,
        author: { login: 'mara', isBot: false },
        head: {
          sha: await scene.twin.head('acme/docs', 'topic'),
          branch: 'topic',
          repositoryId: scene.repository.id,
        },
        base: { sha: await scene.twin.head('acme/docs', 'main'), branch: 'main' },
      }),
    );
    expect(await scene.forge.pull(1)).toEqual({ kind: 'gone', what: 'pull request #1' });
  });

  it('reads a pull request whose fork was deleted', async () => {
    await scene.twin.fork('acme/docs', 'rob');
    await scene.twin.push({ repo: 'rob/docs', branch: 'theirs', files: { 'c.md': 'C\n' }, author: 'rob' });
    const theirPull = await scene.twin.openPullRequest({
      repo: 'acme/docs',
      author: 'rob',
      head: 'rob:theirs',
    });
    scene.twin.deleteRepository('rob/docs');
    const read = await scene.forge.pull(theirPull.number);
    expect(read).toMatchObject(found({ head: { repositoryId: null, sha: theirPull.pull?.headSha } }));
  });
});

describe('comments', () => {
  it('writes one, reads it back as ours, and edits it', async () => {
    const written = await ours('Hello');
    expect(written).toMatchObject({
      body: 'Hello',
      author: { login: 'skillkeeper[bot]', isBot: true },
      isOurs: true,
    });
    expect(Math.abs(written.createdAt - scene.twin.clock.now())).toBeLessThan(5000);
    expect(written.url).toContain(`#issuecomment-${written.id}`);
    expect(await scene.forge.comment(written.id)).toEqual(found(written));
    expect(await scene.forge.updateComment(written.id, 'Changed')).toMatchObject(found({ body: 'Changed' }));
    expect(scene.twin.commentById(written.id).body).toBe('Changed');
  });

  it('lists them all, oldest first, or ours alone', async () => {
    const issue = await scene.twin.openIssue({ repo: 'acme/docs', author: 'rob' });
    for (let index = 0; index < 105; index += 1) {
      scene.twin.comment({ repo: 'acme/docs', number: issue.number, author: 'mara', body: `${index}` });
    }
    const mine = await scene.forge.createComment(issue.number, 'of ours');
    const all = await scene.forge.comments(issue.number);
    expect(all.map(({ body }) => body)).toEqual([...Array(105).keys()].map(String).concat('of ours'));
    expect(await scene.forge.comments(issue.number, { ours: true })).toEqual([mine]);
    const since = scene.twin.clock.now() + 60_000;
    expect(await scene.forge.comments(issue.number, { since })).toEqual([]);
  });

  it('does not take a comment of another bot for ours', async () => {
    scene.twin.createUser('other[bot]', { type: 'Bot' });
    const { id } = scene.twin.comment({ repo: 'acme/docs', number: 1, author: 'other[bot]', body: 'Beep' });
    expect(await scene.forge.comment(id)).toMatchObject(found({ isOurs: false, author: { isBot: true } }));
  });

  it('answers gone for one that was deleted', async () => {
    const comment = theirs('soon gone');
    scene.twin.deleteComment(comment, 'mara');
    const gone = { kind: 'gone', what: `comment ${comment.id}` };
    expect(await scene.forge.comment(comment.id)).toEqual(gone);
    expect(await scene.forge.updateComment(comment.id, 'x')).toEqual(gone);
    expect(await scene.forge.react(comment.id, 'eyes')).toEqual(gone);
    await expect(scene.forge.unreact(comment.id, ['eyes'])).resolves.toBeUndefined();
  });

  it('cuts a comment that is too long rather than losing it', async () => {
    const { id } = await ours(`# Report\n\n${'a line of text\n'.repeat(10_000)}`);
    expect(scene.twin.commentById(id).body).toMatch(/_Cut here: \d[\d ]+ more characters did not fit\._$/);
  });

  it('writes one after the other, in the order they were asked for', async () => {
    const issue = await scene.twin.openIssue({ repo: 'acme/docs', author: 'rob' });
    scene.twin.failNext({ method: 'POST', path: /\/comments$/, status: 422, body: { message: 'No.' } });
    const bodies = ['refused', 'b', 'c', 'd', 'e'];
    const all = await Promise.allSettled(bodies.map(body => scene.forge.createComment(issue.number, body)));
    expect(all.map(({ status }) => status)).toEqual(['rejected', ...Array(4).fill('fulfilled')]);
    const written = scene.twin.comments('acme/docs', issue.number).map(({ body }) => body);
    expect(written).toEqual(['b', 'c', 'd', 'e']);
  });
});

describe('reactions', () => {
  it('adds one once, however often it is asked to', async () => {
    const { id } = theirs('/verify');
    for (let index = 0; index < 2; index += 1) {
      expect(await scene.forge.react(id, 'eyes')).toEqual(found(true));
    }
    expect(scene.twin.reactions(id).map(({ content }) => content)).toEqual(['eyes']);
  });

  it('takes back ours, named, and nobody else’s', async () => {
    const comment = theirs('/verify');
    scene.twin.react(comment, 'mara', 'eyes');
    for (const reaction of ['eyes', 'rocket', '+1'] as const) await scene.forge.react(comment.id, reaction);
    await scene.forge.unreact(comment.id, ['eyes', '+1', 'confused']);
    const left = scene.twin.reactions(comment.id).map(({ content, user }) => `${user.login} ${content}`);
    expect(left).toEqual(['mara eyes', 'skillkeeper[bot] rocket']);
  });
});

describe('checks', () => {
  it('creates one and finds it again by name, on its commit', async () => {
    const headSha = commitId(await scene.twin.head('acme/docs', 'topic'));
    const check = {
      name: 'Skillkeeper / drift',
      headSha,
      externalId: 'run 7f3a',
      conclusion: 'failure',
      title: `${'t'.repeat(300)}`,
      summary: 'É'.repeat(60_000),
    } as const;
    const facts = await scene.forge.createCheck(check);
    expect(facts).toEqual({
      id: expect.any(Number),
      name: check.name,
      externalId: 'run 7f3a',
      conclusion: 'failure',
    });
    await scene.forge.createCheck({ ...check, name: 'Skillkeeper / verify' });
    await scene.forge.createCheck({ ...check, externalId: 'run 8', conclusion: 'success' });
    const again = await scene.forge.checks(headSha, check.name);
    expect(again.map(({ externalId }) => externalId).sort()).toEqual(['run 7f3a', 'run 8']);
    const [run] = scene.twin.checkRuns('acme/docs', headSha).filter(({ id }) => id === facts.id);
    expect(run?.title).toHaveLength(255);
    expect(Buffer.byteLength(run?.summary ?? '')).toBeLessThanOrEqual(65_535);
  });

  it('tells when GitHub learned of a commit', async () => {
    const before = Math.floor(scene.twin.clock.now() / 1000) * 1000;
    const sha = await scene.twin.push({
      repo: 'acme/docs',
      branch: 'arrives',
      files: { 'd.md': 'D\n' },
      author: 'mara',
    });
    const after = scene.twin.clock.now();
    const arrival = await scene.forge.arrival(commitId(sha));
    expect(arrival).toBeGreaterThanOrEqual(before);
    expect(arrival).toBeLessThanOrEqual(after);
  });

  it('knows nothing of a commit that is not there', async () => {
    const sha = commitId('0123456789'.repeat(4));
    expect(await scene.forge.arrival(sha)).toBeUndefined();
    expect(await scene.forge.checks(sha, 'x')).toEqual([]);
    const check = { name: 'x', headSha: sha, externalId: '', title: 't', summary: 's' } as const;
    await expect(scene.forge.createCheck({ ...check, conclusion: 'neutral' })).rejects.toMatchObject({
      code: 'forge-gone',
      retry: 'never',
    });
  });
});

describe('pull requests of ours', () => {
  it('opens one and finds it by its branch, open or closed, forks left out', async () => {
    const branch = 'skillkeeper/cleanup';
    await scene.twin.push({ repo: 'acme/docs', branch, files: { 'e.md': 'E\n' }, author: 'mara' });
    expect(await scene.forge.pullsFrom(branch)).toEqual([]);
    const opened = await scene.forge.createPull({
      branch,
      base: 'main',
      title: 'docs: cleanup',
      body: 'Why',
    });
    expect(await scene.forge.pullsFrom(branch)).toEqual([opened]);
    await scene.twin.closeThread(scene.twin.thread('acme/docs', opened.number), 'mara');
    expect(await scene.forge.pullsFrom(branch)).toEqual([opened]);
  });

  it('says in GitHub’s words why it cannot', async () => {
    const asked = scene.forge.createPull({ branch: 'no-such', base: 'main', title: 'x', body: '' });
    await expect(asked).rejects.toMatchObject({ code: 'forge-invalid', status: 422, retry: 'never' });
  });
});

describe('a git token', () => {
  it('is new each time, for this repository and its contents alone, and revoked when released', async () => {
    await scene.twin.createRepository({ owner: 'acme', name: 'secret', private: true });
    const read = await scene.forge.gitToken('read');
    const write = await scene.forge.gitToken('write');
    expect(read.token).not.toBe(write.token);
    expect((await scene.call(write.token, '/repos/acme/docs')).status).toBe(200);
    expect((await scene.call(write.token, '/repos/acme/secret')).status).toBe(404);
    const init = { method: 'POST', body: JSON.stringify({ body: 'x' }) };
    expect((await scene.call(write.token, '/repos/acme/docs/issues/1/comments', init)).status).toBe(403);
    await write.release();
    await write.release();
    expect((await scene.call(write.token, '/repos/acme/docs')).status).toBe(401);
    expect((await scene.call(read.token, '/repos/acme/docs')).status).toBe(200);
    await read.release();
  });
});

describe('the app', () => {
  it('knows its own name and account', async () => {
    const { app } = scene.twin;
    expect(await scene.octokitForge.app.identity()).toEqual({
      id: app.id,
      slug: 'skillkeeper',
      botLogin: 'skillkeeper[bot]',
      botId: app.bot.id,
    });
  });

  it('lists its installations and what they cover', async () => {
    const { app } = scene.octokitForge;
    const { id } = scene.installation;
    expect(await app.installations()).toEqual([{ id, account: 'acme', isSuspended: false }]);
    expect(await app.repositories(id)).toEqual(
      found([{ id: scene.repository.id, fullName: 'acme/docs', isArchived: false }]),
    );
    expect(await app.repositories(1)).toEqual({ kind: 'gone', what: 'installation 1' });
  });
});
