import type { AskRepository } from './ask-repository.ts';
import { everyPage, PAGE_SIZE } from './every-page.ts';
import { COMMENT_SIZE, fitBody } from './fit-body.ts';
import type { Forge } from './forge.ts';

export function pullCalls(
  { mustAsk }: AskRepository,
  repositoryId: number,
  inTurn: <Value>(work: () => Promise<Value>) => Promise<Value>,
): Pick<Forge, 'pullsFrom' | 'createPull'> {
  return {
    pullsFrom: async branch => {
      const all = await everyPage(page =>
        mustAsk({ what: `pull requests from ${branch}` }, (client, at) =>
          client.rest.pulls.list({
            ...at,
            head: `${at.owner}:${branch}`,
            state: 'all',
            per_page: PAGE_SIZE,
            page,
          }),
        ),
      );
      // The owner may have a fork of its own repository, with a branch of that name.
      const own = all.filter(({ head }) => (head.repo as { id: number } | null)?.id === repositoryId);
      return own.map(({ number, html_url: url }) => ({ number, url }));
    },
    createPull: ({ branch, base, title, body }) =>
      inTurn(async () => {
        const data = await mustAsk({ what: `branch ${branch}`, repeatable: false }, (client, at) =>
          client.rest.pulls.create({ ...at, head: branch, base, title, body: fitBody(body, COMMENT_SIZE) }),
        );
        return { number: data.number, url: data.html_url };
      }),
  };
}
