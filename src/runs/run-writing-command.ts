import type { ParsedCommand } from '../commands/parse-comment.ts';
import { escapeMarkdown } from '../forge/escape-markdown.ts';
import { openGitSnapshot } from '../git/git-snapshot.ts';
import type { CommitId } from '../git/object-id.ts';
import { diffChanges } from '../snapshot/diff-changes.ts';
import { type ChosenHead, chooseHead } from './choose-head.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { landChanges } from './land-changes.ts';
import { ensurePull } from './open-pull.ts';
import { openSession, type Session } from './open-session.ts';
import { PLANNERS, type Plan } from './plan-command.ts';
import type { RunPlace } from './read-place.ts';
import { renderDryRun } from './render-reply.ts';
import type { RunDependencies } from './run-dependencies.ts';
import { notDone, type RunOutcome } from './run-outcome.ts';
import { runRefOf } from './run-request.ts';

type Command = Extract<ParsedCommand, { kind: 'command' }>;

/** Plans are made at most this often: once, and once more across commits of our own. */
const MOST_PLANS = 2;

/** A writing command on a pull request, or on an issue, where it becomes a pull request. */
export async function runWritingCommand(
  place: RunPlace,
  command: Command,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (place.repository.isArchived)
    return notDone('refused', 'the repository is archived. Unarchive it first.');
  const session = await openSession(place.forge, place.repository, dependencies, signal);
  // The head is looked for while the run ref is: that this run has landed before is the rare case.
  const choosing = chooseHead(place, command, session);
  choosing.catch(() => undefined); // looked at when it is waited for; until then nobody else would
  try {
    const landed = await findLanded(session, place);
    if (landed) return finish(place, landed);
    for (let plans = 0; plans < MOST_PLANS; plans += 1) {
      const head = await (plans === 0 ? choosing : chooseHead(place, command, session));
      if (head.kind !== 'chosen') return head.outcome;
      const attempt = await attemptOnce(place, command, session, head, dependencies, signal);
      if (attempt !== 'moved') return attempt;
      const meanwhile = await findLanded(session, place);
      if (meanwhile) return finish(place, meanwhile);
    }
    return notDone(
      'stale',
      'the branch kept moving while I worked. Nothing was pushed. Comment the command again when it rests.',
    );
  } finally {
    await choosing.catch(() => undefined); // it may still be fetching into what is closed now
    await session.close();
  }
}

/** What an earlier attempt of this very run landed; the branch stays as people left it since. */
async function findLanded(session: Session, { run }: RunPlace): Promise<Evidence | undefined> {
  const runRef = await session.remoteRef(runRefOf(run.runId));
  if (runRef === undefined || runRef === 'gone') return undefined;
  await session.fetch(runRef, 'evidence');
  return readEvidence(session.reader, runRef);
}

type Chosen = Extract<ChosenHead, { kind: 'chosen' }>;

async function attemptOnce(
  place: RunPlace,
  command: Command,
  session: Session,
  head: Chosen,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome | 'moved'> {
  const planner = PLANNERS[command.spec.name];
  if (!planner) return notDone('refused', `\`${command.spec.name}\` can not run here.`);
  const snapshot = openGitSnapshot({ reader: session.reader, commit: head.commit });
  const plan = await planner(snapshot, command.values);
  if (plan.kind === 'refused')
    return { kind: 'refused', summary: plan.summary, answer: plan.prose, verdict: plan.verdict };
  if (command.isDryRun) {
    const diff = renderDryRun(await diffChanges(snapshot, plan.changes));
    return {
      kind: 'done',
      summary: `dry run: ${plan.summary}`,
      answer: [plan.prose, diff].join('\n'),
      verdict: plan.verdict,
    };
  }
  const landed = await landChanges(
    session,
    {
      runId: place.run.runId,
      branch: head.branch,
      expected: head.expected,
      parent: head.commit,
      changes: plan.changes,
      message: plan.message,
      person: { ...(await dependencies.committer()), at: new Date(dependencies.now()) },
      evidence: commit => composeEvidence(place, command, head, plan, commit),
    },
    signal,
  );
  switch (landed.kind) {
    case 'landed':
      return finish(place, composeEvidence(place, command, head, plan, landed.commit));
    case 'moved':
      return 'moved';
    case 'refused':
      return notDone('refused', `GitHub refused the push: ${escapeMarkdown(landed.why)} Nothing was pushed.`);
    case 'gone':
      return notDone('gone', 'the repository went away while I worked.');
  }
}

function composeEvidence(
  { run, repository }: RunPlace,
  command: Command,
  head: Chosen,
  plan: Extract<Plan, { kind: 'changes' }>,
  commit: CommitId,
): Evidence {
  const link = `[\`${commit.slice(0, 7)}\`](${repository.cloneUrl.replace(/\.git$/u, '')}/commit/${commit})`;
  return {
    schema: 1,
    run: run.runId,
    repository: repository.id,
    issue: run.issueNumber,
    comment: run.commentId,
    command: command.spec.name,
    branch: head.branch,
    head: head.commit,
    commit,
    title: plan.title,
    summary: `${link} ${plan.summary}`,
    prose: `${plan.prose}\nCommit: ${link}\n`,
    verdict: { ...plan.verdict, commit },
  };
}

// What landed is told from its evidence, whether this attempt landed it or an earlier one.
async function finish(place: RunPlace, evidence: Evidence): Promise<RunOutcome> {
  const pull = place.thread.isPull ? undefined : await ensurePull(place, evidence);
  return {
    kind: 'done',
    summary: pull ? `${evidence.summary} in #${pull.number}` : evidence.summary,
    answer: pull ? [evidence.prose, `Pull request: #${pull.number}`].join('\n') : evidence.prose,
    verdict: evidence.verdict,
  };
}
