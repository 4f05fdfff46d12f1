import { mayRun } from '../commands/may-run.ts';
import { type ParsedCommand, parseComment } from '../commands/parse-comment.ts';
import { renderHelp } from '../commands/render-help.ts';
import { codeSpan } from '../markdown/code-span.ts';
import { type RunPlace, readPlace } from './read-place.ts';
import { reportRun, reportWorking } from './report-run.ts';
import type { RunDependencies } from './run-dependencies.ts';
import { notDone, type RunOutcome } from './run-outcome.ts';
import { digestComment, type RunRequest } from './run-request.ts';
import { runWritingCommand } from './run-writing-command.ts';

/**
 * Runs one command of one comment to its end and tells it: authorise, open, proceed, land, report. May be called
 * again after it was interrupted anywhere; what landed is found again, what was told is not told twice.
 * Gives undefined when nothing is left to answer on. Rejects with a `Fault`; `retry` says whether to come again.
 */
export async function executeRun(
  run: RunRequest,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome | undefined> {
  const place = await readPlace(run, dependencies);
  if (!place) return undefined;
  const outcome = await workOut(place, dependencies, signal);
  await reportRun(place.forge, run, place.title, outcome);
  dependencies.log('info', 'run ended', { run: run.runId, outcome: outcome.kind });
  return outcome;
}

/**
 * Ends a run that will not be tried again in front of whoever asked. `why` completes "Not done: ...".
 */
export async function reportFailure(
  run: RunRequest,
  dependencies: RunDependencies,
  why: string,
): Promise<void> {
  const place = await readPlace(run, dependencies);
  if (!place) return;
  await reportRun(place.forge, run, place.title, notDone('failed', why));
}

async function workOut(
  place: RunPlace,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { comment, run, forge, repository } = place;
  if (digestComment(comment.body) !== run.commentDigest) {
    return notDone(
      'refused',
      'the comment was edited after it was posted, and only new comments act. Post the command again as a new comment.',
    );
  }
  const command = parseComment(comment.body)[run.commandIndex];
  if (!command) return notDone('refused', 'the comment holds no such command any more.');
  if (command.kind === 'unknown')
    return told(
      'refused',
      `there is no command ${codeSpan(command.word)}`,
      renderHelp(command.word === '' ? undefined : command.word),
    );
  if (command.kind === 'malformed') {
    return {
      ...notDone('refused', `not understood: ${command.problem}.`),
      answer: `\u26d4 Not understood: ${command.problem}.\n\n${renderHelp(command.spec.name)}`,
    };
  }
  const role = await forge.role(comment.author.login);
  if (!mayRun(command.spec, role)) {
    return notDone(
      'refused',
      `${codeSpan(command.text)} is for people with ${command.spec.leastRole} access or more to ${codeSpan(repository.fullName)}; ${codeSpan(comment.author.login)} has ${role === 'none' ? 'no' : role} access. Ask one of them to comment it.`,
    );
  }
  return runCommand(place, command, dependencies, signal);
}

type Command = Extract<ParsedCommand, { kind: 'command' }>;

async function runCommand(
  place: RunPlace,
  command: Command,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (command.spec.name === 'help') return told('done', 'help', renderHelp(command.argument));
  // Shown while the work goes on already; both are waited for, so that a retry never meets the rest of this attempt.
  const [shown, worked] = await Promise.allSettled([
    reportWorking(place.forge, place.run, place.title),
    runWritingCommand(place, command, dependencies, signal),
  ]);
  if (worked.status === 'rejected') throw worked.reason;
  if (shown.status === 'rejected') throw shown.reason;
  return worked.value;
}

function told(kind: 'done' | 'refused', summary: string, answer: string): RunOutcome {
  return { kind, summary, answer };
}
