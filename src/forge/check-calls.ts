import type { AskRepository } from './ask-repository.ts';
import { goneFault } from './describe-refusal.ts';
import { everyPage, PAGE_SIZE } from './every-page.ts';
import { CHECK_SIZE, fitBody } from './fit-body.ts';
import type { Forge } from './forge.ts';
import { ForgeFault } from './forge-fault.ts';
import { readCheck } from './read-facts.ts';

const LONGEST_TITLE = 255;

export function checkCalls(
  { mustAsk }: AskRepository,
  appId: number,
  inTurn: <Value>(work: () => Promise<Value>) => Promise<Value>,
): Pick<Forge, 'arrival' | 'createCheck' | 'checks'> {
  return {
    arrival: async sha => {
      const suites = await everyPage(page =>
        noneWithoutCommit(async () => {
          const data = await mustAsk({ what: `commit ${sha}` }, (client, at) =>
            client.rest.checks.listSuitesForRef({ ...at, ref: sha, per_page: PAGE_SIZE, page }),
          );
          return data.check_suites;
        }),
      );
      const times = suites.map(({ created_at: at }) => Date.parse(at ?? '')).filter(Number.isFinite);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    createCheck: check =>
      inTurn(async () => {
        const { name, headSha, externalId, conclusion, title, summary } = check;
        const output = { title: cutTitle(title), summary: fitBody(summary, CHECK_SIZE) };
        const send = () =>
          mustAsk({ what: `commit ${headSha}`, repeatable: false }, (client, at) =>
            client.rest.checks.create({
              ...at,
              name,
              head_sha: headSha,
              external_id: externalId,
              status: 'completed',
              conclusion,
              output,
            }),
          );
        return readCheck(await goneWithoutCommit(send));
      }),
    checks: async (sha, name) => {
      const runs = await everyPage(page =>
        noneWithoutCommit(async () => {
          const data = await mustAsk({ what: `commit ${sha}` }, (client, at) =>
            client.rest.checks.listForRef({
              ...at,
              ref: sha,
              check_name: name,
              app_id: appId,
              filter: 'all',
              per_page: PAGE_SIZE,
              page,
            }),
          );
          return data.check_runs;
        }),
      );
      return runs.filter(({ app }) => app?.id === appId).map(readCheck);
    },
  };
}

function cutTitle(title: string): string {
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 3).toWellFormed()}...`;
}

/** GitHub answers 422, not 404, for a commit it does not know. */
function isUnknownCommit(error: unknown): error is ForgeFault {
  return (
    error instanceof ForgeFault && error.code === 'forge-invalid' && /no commit found/i.test(error.message)
  );
}

async function noneWithoutCommit<Item>(ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await ask();
  } catch (error) {
    if (isUnknownCommit(error)) return [];
    throw error;
  }
}

async function goneWithoutCommit<Value>(send: () => Promise<Value>): Promise<Value> {
  try {
    return await send();
  } catch (error) {
    if (isUnknownCommit(error)) throw goneFault(error.message, { status: error.status });
    throw error;
  }
}
