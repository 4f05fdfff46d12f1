import { tellMoves } from '../actions/move-refs.ts';
import { actorOf, type Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import type { Repository } from '../world/world.ts';
import { judgeMove, type Refusal } from './judge-push.ts';
import { moveRefs, type RefMove } from './refs.ts';

/** A push that `git http-backend` is working on; the hook names it by its id. */
export interface PushSession {
  readonly principal: Principal;
  readonly repository: Repository;
}

export interface PushVerdict {
  /** `ok <ref>` and `ng <ref> <reason>`, as the hook tells git. */
  readonly results: readonly string[];
  /** Lines the person sees behind `remote:`. */
  readonly words: readonly string[];
}

export interface PushedCommands {
  readonly commands: readonly RefMove[];
  readonly atomic: boolean;
}

/** Judges a push, moves the refs, and lets follow what follows on GitHub, before git answers the client. */
export async function receivePush(
  core: Core,
  session: PushSession,
  push: PushedCommands,
): Promise<PushVerdict> {
  const { principal, repository } = session;
  const refusals: Refusal[] = [];
  for (const move of push.commands) {
    const refusal = await judgeMove(core.world, principal, repository, move);
    if (refusal !== null) refusals.push(refusal);
  }
  const refused = new Map(refusals.map(({ ref, reason }) => [ref, reason]));
  const failed = push.atomic
    ? await moveTogether(repository, push.commands, refused)
    : await moveEach(repository, push.commands, refused);
  const moved = push.commands.filter(({ ref }) => !failed.has(ref));
  const sender = actorOf(principal);
  if (sender !== null && moved.length > 0) await tellMoves(core, repository, moved, sender);
  const results = push.commands.map(({ ref }) =>
    failed.has(ref) ? `ng ${ref} ${failed.get(ref)}` : `ok ${ref}`,
  );
  return { results, words: refusals.flatMap(each => each.words) };
}

type Reasons = ReadonlyMap<string, string>;

async function moveTogether(
  repository: Repository,
  moves: readonly RefMove[],
  refused: Reasons,
): Promise<Reasons> {
  const fallen = (reasons: Reasons): Reasons =>
    new Map(moves.map(({ ref }) => [ref, reasons.get(ref) ?? 'atomic push failure']));
  if (refused.size > 0) return fallen(refused);
  const problem = await moveRefs(repository, moves);
  if (problem === null) return new Map();
  const guilty = moves.filter(({ ref }) => problem.includes(`'${ref}'`));
  return fallen(new Map(guilty.map(({ ref }) => [ref, problem])));
}

async function moveEach(
  repository: Repository,
  moves: readonly RefMove[],
  refused: Reasons,
): Promise<Reasons> {
  const failed = new Map(refused);
  for (const move of moves) {
    if (failed.has(move.ref)) continue;
    const problem = await moveRefs(repository, [move]);
    if (problem !== null) failed.set(move.ref, problem);
  }
  return failed;
}
