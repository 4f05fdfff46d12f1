import type { Forge, PullFacts } from '../forge/forge.ts';
import type { CommitId } from '../git/object-id.ts';
import type { RunDependencies } from './run-dependencies.ts';

/** What a check is asked for: a pull request as it stands when the check runs, or a merge group's commit. */
export type CheckRequest = { readonly installationId: number; readonly repositoryId: number } & (
  | { readonly kind: 'pull'; readonly pullNumber: number; readonly isRerun?: boolean | undefined }
  | {
      readonly kind: 'merge-group' | 'commit';
      readonly headSha: CommitId;
      readonly isRerun?: boolean | undefined;
    }
);

const NAME = 'Skillkeeper / drift';
const TITLE = 'No drift';
const SUMMARY =
  'Nothing is checked yet: this version moves sections on command. The check is here so that it can be required from the start; it always succeeds.';

/**
 * Concludes `Skillkeeper / drift` on the newest head. A head that has it already is left alone unless somebody
 * asked to run it again.
 */
export async function concludeCheck(
  request: CheckRequest,
  dependencies: RunDependencies,
): Promise<'concluded' | 'there' | 'gone'> {
  const forge = await dependencies.openForge(request);
  const head = await findHead(forge, request);
  if (!head) return 'gone';
  const externalId = `${request.repositoryId}/${request.kind === 'pull' ? request.pullNumber : request.kind}/${head}`;
  const standing = await forge.checks(head, NAME);
  if (
    !request.isRerun &&
    standing.some(check => check.externalId === externalId && check.conclusion !== null)
  )
    return 'there';
  await forge.createCheck({
    name: NAME,
    headSha: head,
    externalId,
    conclusion: 'success',
    title: TITLE,
    summary: SUMMARY,
  });
  return 'concluded';
}

async function findHead(forge: Forge, request: CheckRequest): Promise<CommitId | undefined> {
  if (request.kind !== 'pull') return request.headSha;
  const pull = await forge.pull(request.pullNumber);
  return pull.kind === 'gone' ? undefined : headOf(pull.value);
}

function headOf(pull: PullFacts): CommitId | undefined {
  return pull.state === 'open' ? pull.head.sha : undefined;
}
