import type { RunDependencies } from './run-dependencies.ts';

/** Shows within moments that a command was seen: eyes on its comment. */
export async function acknowledge(
  request: { readonly installationId: number; readonly repositoryId: number; readonly commentId: number },
  dependencies: RunDependencies,
): Promise<void> {
  const forge = await dependencies.openForge(request);
  await forge.react(request.commentId, 'eyes');
}
