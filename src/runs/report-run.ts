import { COMMENT_SIZE, fitBody } from '../forge/fit-body.ts';
import type { CommentFacts, Forge, Reaction } from '../forge/forge.ts';
import { composeMarker, findMarker } from '../forge/markers.ts';
import { renderVerdict } from './render-reply.ts';
import { renderRows, type StickyRow } from './render-sticky.ts';
import { type RunOutcome, reactionOf } from './run-outcome.ts';
import type { RunRequest } from './run-request.ts';

const FOOTER = '<sub>`/skillkeeper help` · only people with write access can run commands</sub>';

const TERMINAL: readonly Reaction[] = ['rocket', '+1', 'confused'];

/** How a run is told: what was asked, and by whom. */
export interface RunTitle {
  readonly command: string;
  readonly login: string;
  /** Whether it gets a row in the sticky comment; a question for help does not. */
  readonly isListed: boolean;
}

/** Shows that a run is under way: its row in the one sticky comment of the thread. */
export async function reportWorking(forge: Forge, run: RunRequest, title: RunTitle): Promise<void> {
  await updateSticky(
    forge,
    run,
    { ...title, runId: run.runId, state: 'working', summary: 'working' },
    undefined,
  );
}

/**
 * Tells how a run ended: one reply, its row in the sticky comment, one terminal reaction. May be called again
 * after it was interrupted anywhere: a reply that stands is not written twice, and the reaction comes last, so
 * that a run without it is known to be unfinished.
 */
export async function reportRun(
  forge: Forge,
  run: RunRequest,
  title: RunTitle,
  outcome: RunOutcome,
): Promise<void> {
  const reply = await ensureReply(forge, run, outcome);
  const summary = `${outcome.summary} · [answer](${reply.comment.url})`;
  if (title.isListed)
    await updateSticky(forge, run, { ...title, runId: run.runId, state: outcome.kind, summary }, outcome);
  const reaction = reactionOf(outcome.kind);
  if (reply.isCorrected)
    await forge.unreact(
      run.commentId,
      TERMINAL.filter(other => other !== reaction),
    );
  await forge.react(run.commentId, reaction);
}

interface Reply {
  readonly comment: CommentFacts;
  /** Another end of this run was told before: it failed, was handed in again, and ended otherwise. */
  readonly isCorrected: boolean;
}

async function ensureReply(forge: Forge, run: RunRequest, outcome: RunOutcome): Promise<Reply> {
  const ours = await forge.comments(run.issueNumber, { ours: true });
  const standing = ours.find(({ body }) => {
    const marker = findMarker(body);
    return marker?.name === 'reply' && marker.values.run === run.runId;
  });
  const body = composeReply(run, outcome);
  if (!standing) return { comment: await forge.createComment(run.issueNumber, body), isCorrected: false };
  if (findMarker(standing.body)?.values.outcome === outcome.kind)
    return { comment: standing, isCorrected: false };
  await forge.updateComment(standing.id, body);
  return { comment: standing, isCorrected: true };
}

// However long the answer is, the verdict at its end is whole.
function composeReply({ runId }: RunRequest, { kind, answer, verdict }: RunOutcome): string {
  const marker = composeMarker({ name: 'reply', values: { run: runId, outcome: kind } });
  return fitBody(`${marker}\n${answer}`, COMMENT_SIZE, verdict ? { tail: renderVerdict(verdict) } : {});
}

async function updateSticky(
  forge: Forge,
  run: RunRequest,
  row: StickyRow,
  outcome: RunOutcome | undefined,
): Promise<void> {
  const ours = await forge.comments(run.issueNumber, { ours: true });
  const sticky = ours.find(({ body }) => findMarker(body)?.name === 'sticky');
  const latest = outcome ? foldLatest(outcome) : keptLatest(sticky?.body);
  const top = `${composeMarker({ name: 'sticky', values: {} })}\n${renderRows(sticky?.body, row)}`;
  const body = fitBody(`${top}\n\n${latest}`, COMMENT_SIZE, { tail: FOOTER });
  if (sticky) await forge.updateComment(sticky.id, body);
  else await forge.createComment(run.issueNumber, body);
}

function foldLatest({ answer, verdict }: RunOutcome): string {
  const whole = verdict ? `${answer}\n${renderVerdict(verdict)}` : answer;
  return `<details><summary>Latest verdict</summary>\n\n${whole}\n\n</details>`;
}

function keptLatest(body: string | undefined): string {
  const start = body?.indexOf('<details><summary>Latest verdict') ?? -1;
  const end = body?.lastIndexOf('</details>') ?? -1;
  return body !== undefined && start >= 0 && end > start ? body.slice(start, end + '</details>'.length) : '';
}
