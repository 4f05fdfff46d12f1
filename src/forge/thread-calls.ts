import type { AskRepository } from './ask-repository.ts';
import { everyPage, PAGE_SIZE } from './every-page.ts';
import { COMMENT_SIZE, fitBody } from './fit-body.ts';
import type { Forge, Found } from './forge.ts';
import { type OurAccount, readComment, readPull, readThread } from './read-facts.ts';

type ThreadCalls = Pick<
  Forge,
  'thread' | 'pull' | 'comment' | 'comments' | 'createComment' | 'updateComment'
>;

/** `inTurn` does one thing at a time: it is for what creates content. */
export function threadCalls(
  { ask, mustAsk }: AskRepository,
  us: () => Promise<OurAccount>,
  inTurn: <Value>(work: () => Promise<Value>) => Promise<Value>,
): ThreadCalls {
  return {
    thread: async number =>
      map(
        await ask({ what: `thread #${number}` }, (client, at) =>
          client.rest.issues.get({ ...at, issue_number: number }),
        ),
        readThread,
      ),
    pull: async number =>
      map(
        await ask({ what: `pull request #${number}` }, (client, at) =>
          client.rest.pulls.get({ ...at, pull_number: number }),
        ),
        readPull,
      ),
    comment: async id => {
      const [found, account] = await Promise.all([
        ask({ what: `comment ${id}` }, (client, at) =>
          client.rest.issues.getComment({ ...at, comment_id: id }),
        ),
        us(),
      ]);
      return map(found, data => readComment(data, account));
    },
    comments: async (number, { ours = false, since } = {}) => {
      const account = await us();
      const from = since === undefined ? {} : { since: new Date(since).toISOString() };
      const all = await everyPage(page =>
        mustAsk({ what: `thread #${number}` }, (client, at) =>
          client.rest.issues.listComments({
            ...at,
            ...from,
            issue_number: number,
            per_page: PAGE_SIZE,
            page,
          }),
        ),
      );
      const read = all.map(data => readComment(data, account));
      return ours ? read.filter(({ isOurs }) => isOurs) : read;
    },
    createComment: (number, body) =>
      inTurn(async () => {
        const account = await us();
        const data = await mustAsk({ what: `thread #${number}`, repeatable: false }, (client, at) =>
          client.rest.issues.createComment({
            ...at,
            issue_number: number,
            body: fitBody(body, COMMENT_SIZE),
          }),
        );
        return readComment(data, account);
      }),
    updateComment: (id, body) =>
      inTurn(async () => {
        const account = await us();
        const found = await ask({ what: `comment ${id}` }, (client, at) =>
          client.rest.issues.updateComment({ ...at, comment_id: id, body: fitBody(body, COMMENT_SIZE) }),
        );
        return map(found, data => readComment(data, account));
      }),
  };
}

function map<From, To>(found: Found<From>, read: (value: From) => To): Found<To> {
  return found.kind === 'gone' ? found : { kind: 'found', value: read(found.value) };
}
