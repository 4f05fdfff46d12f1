import type { ParsedCommand } from '../commands/parse-comment.ts';
import type { PullFacts } from '../forge/forge.ts';
import type { CommitId } from '../git/object-id.ts';
import { codeSpan } from '../markdown/code-span.ts';
import { findKnownHead } from './find-known-head.ts';
import type { Session } from './open-session.ts';
import type { RunPlace } from './read-place.ts';
import { notDone, type RunOutcome } from './run-outcome.ts';
import { shortRunId } from './run-request.ts';

export type ChosenHead =
  | {
      readonly kind: 'chosen';
      /** What the plan is made on; fetched. */
      readonly commit: CommitId;
      /** Full name of the branch that gets the commit. */
      readonly branch: string;
      /** Where that branch must stand; null: it must not exist yet. */
      readonly expected: CommitId | null;
    }
  | { readonly kind: 'none'; readonly outcome: RunOutcome };

type Command = Extract<ParsedCommand, { kind: 'command' }>;

/**
 * Decides what a writing command works on: the head of its pull request, if the writer can have meant it, or for
 * a command on an issue the default branch, with a new branch for the result.
 */
export async function chooseHead(place: RunPlace, command: Command, session: Session): Promise<ChosenHead> {
  return place.thread.isPull ? chooseOnPull(place, command, session) : chooseOnIssue(place, command, session);
}

async function chooseOnIssue(
  { forge, repository, run }: RunPlace,
  command: Command,
  session: Session,
): Promise<ChosenHead> {
  const found = await forge.branchHead(repository.defaultBranch);
  if (found.kind === 'gone')
    return none('gone', `the branch ${codeSpan(repository.defaultBranch)} does not exist.`);
  if ((await session.fetch(found.value, 'head')) === 'gone')
    return none('gone', 'the repository went away while I worked.');
  const branch = `refs/heads/skillkeeper/${command.spec.name}-${shortRunId(run.runId)}`;
  return { kind: 'chosen', commit: found.value, branch, expected: null };
}

async function chooseOnPull(place: RunPlace, command: Command, session: Session): Promise<ChosenHead> {
  const { forge, repository, comment, run } = place;
  const found = await forge.pull(run.issueNumber);
  if (found.kind === 'gone') return none('gone', 'the pull request is gone.');
  const pull = found.value;
  const closed = whyClosed(pull);
  if (closed) return none('gone', closed);
  if (pull.head.repositoryId !== repository.id) {
    return none(
      'refused',
      'this pull request comes from a fork, where I do not push. Run the command on a branch of this repository, or `skillkeeper extract-section` in your checkout.',
    );
  }
  const { sha } = pull.head;
  const headArrival = forge.arrival(sha);
  headArrival.catch(() => undefined); // looked at below, if it comes to that
  const [branch, fetched] = await Promise.all([
    forge.branchHead(pull.head.branch),
    session.fetch(sha, 'head'),
  ]);
  if (branch.kind === 'gone') return none('gone', `the branch ${codeSpan(pull.head.branch)} was deleted.`);
  if (fetched === 'gone') return none('gone', `the commit ${codeSpan(sha.slice(0, 7))} is gone.`);
  const seen = { commentedAt: comment.createdAt, named: command.head, headArrival };
  const known = await findKnownHead(forge, session, sha, seen);
  if (known.kind === 'moved') return none('stale', explainMoved(pull, command));
  return {
    kind: 'chosen',
    commit: pull.head.sha,
    branch: `refs/heads/${pull.head.branch}`,
    expected: pull.head.sha,
  };
}

function whyClosed(pull: PullFacts): string | undefined {
  if (pull.isMerged)
    return 'the pull request is merged. Comment the command on an issue to get it as a new pull request.';
  return pull.state === 'closed'
    ? 'the pull request is closed. Reopen it and comment the command again.'
    : undefined;
}

function explainMoved({ head }: PullFacts, command: Command): string {
  const now = codeSpan(head.sha.slice(0, 7));
  const repeat = `Nothing was pushed. Look at ${now} and comment \`${command.text} @${head.sha.slice(0, 10)}\` with the same fields to run it there.`;
  if (command.head !== undefined) return `the head is ${now}, not ${codeSpan(command.head)}. ${repeat}`;
  return `the pull request moved: its head ${now} came after your comment, or I can not tell when it came. ${repeat}`;
}

function none(kind: 'stale' | 'gone' | 'refused', text: string): ChosenHead {
  return { kind: 'none', outcome: notDone(kind, text) };
}
