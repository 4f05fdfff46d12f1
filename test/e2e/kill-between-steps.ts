import { expect } from 'vitest';
import { type BackendKind, extractComment, openStage, REPO, type Stage, until } from './open-stage.ts';
import type { AppProcess } from './start-processes.ts';

/**
 * Every step of a run that anybody else can see is a request to the forge. The worker is killed the moment its n-th
 * request of a run arrives: the forge does what was asked, the worker never hears of it. A death between two reads
 * leaves nothing that the next attempt could find otherwise, so the places are every request that changes something
 * and the one after it; `KILL_EVERYWHERE=1` takes them all.
 */
export async function killBetweenSteps(backend: BackendKind): Promise<void> {
  const stage = await openStage({ backend, first: false });
  try {
    if (backend === 'redis') await stage.start('web');
    const crew: Crew = { stage, role: backend === 'redis' ? 'worker' : 'all', worker: undefined };
    crew.worker = await stage.start(crew.role);
    const requests = await runOnce(crew, 'clean', Number.POSITIVE_INFINITY);
    expect(requests.length).toBeGreaterThan(15);
    const places = choosePlaces(requests);
    expect(places.length).toBeGreaterThan(8);
    for (const place of places) await runOnce(crew, `killed-${place}`, place);
  } finally {
    await stage.close();
  }
}

interface Crew {
  readonly stage: Stage;
  readonly role: 'worker' | 'all';
  worker: AppProcess | undefined;
}

function choosePlaces(requests: readonly string[]): number[] {
  const all = requests.map((_, at) => at + 1);
  if (process.env.KILL_EVERYWHERE) return all;
  const changes = (request: string | undefined) =>
    request !== undefined && !/^GET|access_tokens|installation\/token|git-upload-pack/u.test(request);
  return all.filter(place => changes(requests[place - 1]) || changes(requests[place - 2]));
}

/** One command on a pull request of its own, the worker killed at its n-th request; gives the requests there were. */
async function runOnce(crew: Crew, branch: string, killAt: number): Promise<readonly string[]> {
  const { twin } = crew.stage;
  const pull = await crew.stage.openPull(branch);
  await until(`the check of ${branch} is there`, () => twin.checkRuns(REPO, pull.head).length > 0);
  const requests: string[] = [];
  let killed: Promise<unknown> | undefined;
  const untap = twin.tap((method, path) => {
    requests.push(`${method} ${path}`);
    if (requests.length === killAt) killed = crew.worker?.end('SIGKILL');
  });
  const comment = twin.comment({
    repo: REPO,
    number: pull.number,
    author: 'mara',
    body: extractComment('Alpha'),
  });
  const reactions = () => twin.reactions(comment.id).map(({ content }) => content);
  const isOver = () => reactions().length === 2 && reactions().some(content => content !== 'eyes');
  await until('it ended or was killed', () => killed !== undefined || isOver());
  if (killed) {
    await killed;
    crew.worker = await crew.stage.start(crew.role);
    await until(`it ended after the kill at request ${killAt}\n${crew.worker.output()}`, isOver);
  }
  untap();
  await twin.webhooks.settle();
  const ours = twin.comments(REPO, pull.number).filter(({ author }) => author.login.endsWith('[bot]'));
  expect({
    killAt,
    commits: (await twin.commits(REPO, branch)).filter(({ message }) => message.includes('Skillkeeper-Run:'))
      .length,
    replies: ours.filter(({ body }) => body.includes('skillkeeper:reply')).length,
    stickies: ours.filter(({ body }) => body.includes('skillkeeper:sticky')).length,
    reactions: reactions().sort(),
  }).toEqual({ killAt, commits: 1, replies: 1, stickies: 1, reactions: ['eyes', 'rocket'] });
  return requests;
}
