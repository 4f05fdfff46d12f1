import type { AskRepository } from './ask-repository.ts';
import { everyPage, PAGE_SIZE } from './every-page.ts';
import type { Forge } from './forge.ts';
import type { OurAccount } from './read-facts.ts';

/**
 * Reactions take no turn with comments: the acknowledgement has to be there at once. GitHub counts a reaction that
 * stands already as done, so they are sent again without harm.
 */
export function reactionCalls(
  { ask }: AskRepository,
  us: () => Promise<OurAccount>,
): Pick<Forge, 'react' | 'unreact'> {
  return {
    react: async (commentId, reaction) => {
      const found = await ask({ what: `comment ${commentId}` }, (client, at) =>
        client.rest.reactions.createForIssueComment({ ...at, comment_id: commentId, content: reaction }),
      );
      return found.kind === 'gone' ? found : { kind: 'found', value: true };
    },
    unreact: async (commentId, reactions) => {
      const { botLogin } = await us();
      const what = `comment ${commentId}`;
      for (const content of new Set(reactions)) {
        const all = await everyPage(async page => {
          const found = await ask({ what }, (client, at) =>
            client.rest.reactions.listForIssueComment({
              ...at,
              comment_id: commentId,
              content,
              per_page: PAGE_SIZE,
              page,
            }),
          );
          return found.kind === 'gone' ? [] : found.value;
        });
        for (const { id } of all.filter(({ user }) => user?.login === botLogin)) {
          await ask({ what: `reaction ${id}` }, (client, at) =>
            client.rest.reactions.deleteForIssueComment({ ...at, comment_id: commentId, reaction_id: id }),
          );
        }
      }
    },
  };
}
