import type { Evidence } from './evidence.ts';
import type { RunPlace } from './read-place.ts';

/** The pull request of a command on an issue: opened once, found again by its branch. */
export async function ensurePull(
  { forge, repository, run }: RunPlace,
  evidence: Evidence,
): Promise<{ readonly number: number; readonly url: string }> {
  const branch = evidence.branch.replace(/^refs\/heads\//u, '');
  const [standing] = await forge.pullsFrom(branch);
  if (standing) return standing;
  const body = `${evidence.prose}\nAsked for in #${run.issueNumber}.`;
  return forge.createPull({ branch, base: repository.defaultBranch, title: evidence.title, body });
}
