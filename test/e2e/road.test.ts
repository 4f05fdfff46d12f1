import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../queues/start-redis.ts';
import type { Comment } from '../twin/world/world.ts';
import {
  type BackendKind,
  deliveryOf,
  extractComment,
  openStage,
  REPO,
  SKILL,
  type Stage,
  until,
} from './open-stage.ts';

const kinds: BackendKind[] = hasRedisServer() ? ['embedded', 'redis'] : ['embedded'];

describe.each(kinds)('from a comment to one commit, %s queue', backend => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ backend });
  }, 60_000);
  afterAll(async () => {
    await stage?.close();
  }, 30_000);

  const say = (number: number, body: string, author = 'mara') =>
    stage.twin.comment({ repo: REPO, number, author, body });
  const reactions = (comment: Comment) => stage.twin.reactions(comment.id).map(({ content }) => content);
  const ended = (comment: Comment) =>
    until(`comment ${comment.id} has its terminal reaction; the app said\n${stage.app?.output()}`, () =>
      reactions(comment).some(content => content !== 'eyes'),
    );
  const ours = (number: number) =>
    stage.twin.comments(REPO, number).filter(({ author }) => author.login.endsWith('[bot]'));
  const replies = (number: number) => ours(number).filter(({ body }) => body.includes('skillkeeper:reply'));
  const sticky = (number: number) => ours(number).filter(({ body }) => body.includes('skillkeeper:sticky'));
  const verdictIn = (body: string) => JSON.parse(/```json\n([\s\S]*?)\n```/u.exec(body)?.[1] ?? 'null');

  it('lands exactly one commit, answers with both layers, and concludes the check', async () => {
    const pull = await stage.openPull('one');
    const comment = say(pull.number, extractComment('Alpha'));
    await ended(comment);
    expect(reactions(comment).sort()).toEqual(['eyes', 'rocket']);
    const [tip, ...older] = await stage.twin.commits(REPO, 'one');
    expect(older[0]?.id).toBe(pull.head);
    expect(tip?.message).toMatch(
      /^docs: extract "Alpha" to skills\/deploy\/references\/alpha\.md\n[\s\S]*\n\nSkillkeeper-Run: [0-9a-f]{32}\n?$/u,
    );
    expect((await stage.twin.readFile(REPO, 'one', 'skills/deploy/references/alpha.md'))?.toString()).toMatch(
      /\n\n\nalpha body\n\n$/u,
    );
    expect((await stage.twin.readFile(REPO, 'one', SKILL))?.toString()).toContain(
      '## Alpha\n\nThe full text of Alpha is in a reference file.',
    );
    const [reply, ...more] = replies(pull.number);
    expect(more).toEqual([]);
    expect(reply?.body.split('\n')[1]).toBe('Status: SUCCESS');
    expect(reply?.body.match(/^```json$/gmu)).toHaveLength(1);
    expect(verdictIn(reply?.body ?? '')).toMatchObject({
      status: 'ok',
      verbatim_check: 'identical',
      commit: tip?.id,
    });
    expect(sticky(pull.number)).toHaveLength(1);
    expect(sticky(pull.number)[0]?.body).toMatch(
      /\| \u2705 \| `[0-9a-f]{8}`<!-- [0-9a-f]{32} --> \| `\/extract-section` by @mara \|/u,
    );
    expect((await stage.twin.refs(REPO, 'refs/skillkeeper/runs/')).size).toBeGreaterThan(0);
    await until('the new head has its check', () => stage.twin.checkRuns(REPO, tip?.id).length > 0);
    expect(stage.twin.checkRuns(REPO, tip?.id)).toMatchObject([
      { name: 'Skillkeeper / drift', status: 'completed', conclusion: 'success' },
    ]);
    stage.twin.assertClean();
  });

  it('lands three commands on one pull request in comment order, none of them lost', async () => {
    const pull = await stage.openPull('three');
    const comments = ['Alpha', 'Beta', 'Gamma'].map(section => say(pull.number, extractComment(section)));
    for (const comment of comments) await ended(comment);
    const subjects = (await stage.twin.commits(REPO, 'three'))
      .slice(0, 3)
      .map(({ message }) => message.split('\n')[0]);
    expect(subjects).toEqual(
      ['Gamma', 'Beta', 'Alpha'].map(
        name => `docs: extract "${name}" to skills/deploy/references/${name.toLowerCase()}.md`,
      ),
    );
    const text = (await stage.twin.readFile(REPO, 'three', SKILL))?.toString() ?? '';
    for (const name of ['Alpha', 'Beta', 'Gamma'])
      expect(text).toContain(`The full text of ${name} is in a reference file.`);
    expect(sticky(pull.number)).toHaveLength(1);
    expect(sticky(pull.number)[0]?.body.match(/\u2705/gu)).toHaveLength(3);
  });

  it('does a redelivered and duplicated event once', async () => {
    const pull = await stage.openPull('twice');
    stage.twin.webhooks.duplicateNext(2);
    const comment = say(pull.number, extractComment('Alpha'));
    await ended(comment);
    stage.twin.webhooks.redeliver(deliveryOf(stage, comment).id);
    await stage.twin.webhooks.settle();
    const second = say(pull.number, '/skillkeeper help'); // answered after whatever the redelivery began
    await ended(second);
    expect(
      (await stage.twin.commits(REPO, 'twice')).filter(({ message }) => message.includes('Skillkeeper-Run')),
    ).toHaveLength(1);
    expect(replies(pull.number)).toHaveLength(2);
  });

  it.each<[string, string, string, RegExp]>([
    [
      'somebody who may only read',
      extractComment('Alpha'),
      'rita',
      /Not done: `\/extract-section` is for people with write access or more to `acme\/skills`; `rita` has read access/u,
    ],
    ['somebody unknown', extractComment('Alpha'), 'sam', /`sam` has (no|read) access/u],
    [
      'missing arguments',
      '/extract-section\nTarget file: x',
      'mara',
      /incomplete args[\s\S]*Usage: Target file: <path>/u,
    ],
    [
      'an unknown flag',
      '/extract-section --nonsense x',
      'mara',
      /Not understood: there is no flag `--nonsense`[\s\S]*labelled line/u,
    ],
    [
      'a section that is not there',
      extractComment('Delta'),
      'mara',
      /Status: EXECUTION_ERROR[\s\S]*section not found/u,
    ],
    ['nonsense', '/skillkeeper nonsense', 'mara', /There is no command `nonsense`/u],
  ])('refuses %s with a reason and changes nothing', async (what, body, author, answer) => {
    const branch = `refused-${what.replaceAll(' ', '-')}`;
    const pull = await stage.openPull(branch);
    const comment = say(pull.number, body, author);
    await ended(comment);
    expect(reactions(comment).sort()).toEqual(['confused', 'eyes']);
    expect(await stage.twin.head(REPO, branch)).toBe(pull.head);
    expect(replies(pull.number)).toHaveLength(1);
    expect(replies(pull.number)[0]?.body).toMatch(answer);
  });

  it('hears no command in a fence, a quote, an edit or from a bot', async () => {
    const pull = await stage.openPull('silent');
    stage.twin.createUser('robot[bot]', { type: 'Bot' });
    stage.twin.setRole(REPO, 'robot[bot]', 'write');
    const silent = [
      say(pull.number, `\`\`\`\n${extractComment('Alpha')}\n\`\`\``),
      say(pull.number, extractComment('Alpha').replace(/^/gmu, '> ')),
      say(pull.number, extractComment('Alpha'), 'robot[bot]'),
      say(pull.number, 'nothing to see'),
    ];
    stage.twin.editComment(silent[3] as Comment, extractComment('Alpha'), 'mara');
    await stage.twin.webhooks.settle();
    const help = say(pull.number, '/skillkeeper help');
    await ended(help);
    expect(reactions(help)).toContain('rocket');
    expect(silent.flatMap(reactions)).toEqual([]);
    expect(replies(pull.number)).toHaveLength(1);
    expect(await stage.twin.head(REPO, 'silent')).toBe(pull.head);
  });

  it('shows the exact diff of a dry run and pushes nothing', async () => {
    const pull = await stage.openPull('dry');
    const comment = say(
      pull.number,
      extractComment('Alpha').replace('/extract-section', '/extract-section --dry-run'),
    );
    await ended(comment);
    expect(reactions(comment)).toContain('rocket');
    expect(await stage.twin.head(REPO, 'dry')).toBe(pull.head);
    expect(replies(pull.number)[0]?.body).toMatch(
      /Dry run: nothing was changed\.[\s\S]*```diff\n[\s\S]*\+\+\+ b\/skills\/deploy\/references\/alpha\.md/u,
    );
  });

  it('refuses to act on a head that came after the comment, and takes the head it is told', async () => {
    const pull = await stage.openPull('moved');
    stage.twin.webhooks.hold();
    const comment = say(pull.number, extractComment('Alpha'));
    stage.twin.clock.advance(5000);
    const newer = await stage.twin.push({
      repo: REPO,
      branch: 'moved',
      author: 'mara',
      files: { 'README.md': 'newer\n' },
    });
    stage.twin.webhooks.release();
    await ended(comment);
    expect(reactions(comment)).toContain('confused');
    expect(replies(pull.number)[0]?.body).toContain(`\`/extract-section @${newer.slice(0, 10)}\``);
    expect(await stage.twin.head(REPO, 'moved')).toBe(newer);
    const again = say(
      pull.number,
      extractComment('Alpha').replace('/extract-section', `/extract-section @${newer.slice(0, 10)}`),
    );
    await ended(again);
    expect(reactions(again)).toContain('rocket');
  });

  it('is not fooled by a newer commit that claims to be ours', async () => {
    const pull = await stage.openPull('forged');
    await ended(say(pull.number, extractComment('Alpha')));
    const [own] = await stage.twin.commits(REPO, 'forged');
    stage.twin.webhooks.hold();
    const comment = say(pull.number, extractComment('Beta'));
    stage.twin.clock.advance(5000);
    const message = `docs: extract\n\n${/Skillkeeper-Run: .*/u.exec(own?.message ?? '')?.[0]}\n`;
    const forged = await stage.twin.push({
      repo: REPO,
      branch: 'forged',
      author: 'mara',
      files: { 'README.md': 'forged\n' },
      message,
    });
    stage.twin.webhooks.release();
    await ended(comment);
    expect(reactions(comment)).toContain('confused');
    expect(await stage.twin.head(REPO, 'forged')).toBe(forged);
  });

  it('ends in words when the pull request is closed or its branch is deleted', async () => {
    const pull = await stage.openPull('closed');
    stage.twin.closeThread(stage.twin.thread(REPO, pull.number), 'mara');
    const comment = say(pull.number, extractComment('Alpha'));
    await ended(comment);
    expect(replies(pull.number)[0]?.body).toContain('Not done: the pull request is closed');
    expect(await stage.twin.head(REPO, 'closed')).toBe(pull.head);
    const other = await stage.openPull('deleted');
    await until('its check is there', () => stage.twin.checkRuns(REPO, other.head).length > 0);
    stage.twin.webhooks.hold();
    const late = say(other.number, extractComment('Alpha'));
    await stage.twin.deleteBranch(REPO, 'deleted', 'mara');
    stage.twin.webhooks.release();
    await ended(late);
    expect(reactions(late)).toContain('confused');
    expect(replies(other.number)[0]?.body).toMatch(
      /Not done: the (branch `deleted` was deleted|pull request is closed)/u,
    );
  });

  it('refuses a pull request from a fork with what to do instead', async () => {
    const fork = await stage.twin.fork(REPO, 'rita');
    await stage.twin.push({
      repo: 'rita/skills',
      branch: 'theirs',
      author: 'rita',
      files: { 'README.md': 'theirs\n' },
    });
    const { number } = await stage.twin.openPullRequest({ repo: REPO, author: 'rita', head: 'rita:theirs' });
    const comment = say(number, extractComment('Alpha'));
    await ended(comment);
    expect(fork).toBeDefined();
    expect(replies(number)[0]?.body).toContain('Not done: this pull request comes from a fork');
  });

  it('opens a pull request from the default branch for a command on an issue', async () => {
    const issue = await stage.twin.openIssue({ repo: REPO, author: 'mara', title: 'Too long' });
    const comment = say(issue.number, extractComment('Alpha'));
    await ended(comment);
    expect(reactions(comment)).toContain('rocket');
    const [, number] = /Pull request: #(\d+)/u.exec(replies(issue.number)[0]?.body ?? '') ?? [];
    expect(Number(number)).toBeGreaterThan(issue.number);
    const pull = stage.twin.thread(REPO, Number(number));
    expect(pull.title).toBe('docs: extract "Alpha" to skills/deploy/references/alpha.md');
    await until('its check is there', () => stage.twin.checkRuns(REPO).length > 0);
  });

  it('answers in the end when GitHub is unwell in between', async () => {
    const pull = await stage.openPull('unwell');
    stage.twin.failNext({ path: /\/pulls\/\d+$/u, status: 502, times: 2 });
    stage.twin.failNext({ path: /git-receive-pack/u, status: 503 });
    const comment = say(pull.number, extractComment('Alpha'));
    await ended(comment);
    expect(reactions(comment)).toContain('rocket');
    expect(
      (await stage.twin.commits(REPO, 'unwell')).filter(({ message }) => message.includes('Skillkeeper-Run')),
    ).toHaveLength(1);
  }, 60_000);

  it('runs the check again when somebody asks', async () => {
    const pull = await stage.openPull('rerun');
    await until('the check is there', () => stage.twin.checkRuns(REPO, pull.head).length === 1);
    stage.twin.rerequest(stage.twin.checkRuns(REPO, pull.head)[0] as never, 'mara');
    await until('there is a second one', () => stage.twin.checkRuns(REPO, pull.head).length === 2);
  });
});
