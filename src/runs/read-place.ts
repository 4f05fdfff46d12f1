import { parseComment } from '../commands/parse-comment.ts';
import type { CommentFacts, Forge, RepositoryFacts, ThreadFacts } from '../forge/forge.ts';
import type { RunTitle } from './report-run.ts';
import type { RunDependencies } from './run-dependencies.ts';
import type { RunRequest } from './run-request.ts';

/** Everything about a run that was read from GitHub at its start. */
export interface RunPlace {
  readonly run: RunRequest;
  readonly forge: Forge;
  readonly repository: RepositoryFacts;
  readonly thread: ThreadFacts;
  readonly comment: CommentFacts;
  readonly title: RunTitle;
}

/** Reads what a run is about; undefined when repository, thread or comment are gone: nothing is left to answer on. */
export async function readPlace(
  run: RunRequest,
  dependencies: RunDependencies,
): Promise<RunPlace | undefined> {
  const forge = await dependencies.openForge(run);
  const [repository, thread, comment] = await Promise.all([
    forge.repository(),
    forge.thread(run.issueNumber),
    forge.comment(run.commentId),
  ]);
  if (repository.kind === 'gone' || thread.kind === 'gone' || comment.kind === 'gone') {
    dependencies.log('info', 'run ended: nothing left to answer on', { run: run.runId });
    return undefined;
  }
  const command = parseComment(comment.value.body)[run.commandIndex];
  const isListed = command !== undefined && command.kind !== 'unknown' && command.spec.isWriting;
  const title = { command: command?.text ?? 'a command', login: comment.value.author.login, isListed };
  return { run, forge, repository: repository.value, thread: thread.value, comment: comment.value, title };
}
