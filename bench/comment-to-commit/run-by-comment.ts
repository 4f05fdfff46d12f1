import { setTimeout as sleep } from 'node:timers/promises';
import { BIG_SKILL } from '../object-path/make-forge.ts';
import { type BenchStage, REPO, WRITER } from './open-bench-stage.ts';
import { readSpent, type Spent } from './read-spent.ts';

const PATIENCE_MS = 60_000;

const COMMENT = [
  '/extract-section',
  `Target file: ${BIG_SKILL}`,
  'Section: ## Long',
  'Reference file: skills/big/references/long.md',
].join('\n');

/** One command on a new pull request, from the webhook to the terminal reaction. The app must be listening. */
export async function runByComment(
  { twin, openPull }: BenchStage,
  branch: string,
  readme: string,
): Promise<Spent> {
  const number = await openPull(branch, readme);
  await until('the head has its check', () => isChecked()); // or it would run beside what is measured
  const [firstRequest, firstDelivery] = [twin.requests.length, twin.deliveries.length];
  const comment = twin.comment({ repo: REPO, number, author: WRITER, body: COMMENT });
  await until('the comment has its terminal reaction', () =>
    twin.reactions(comment.id).some(({ content }) => content !== 'eyes'),
  );
  await until('the new head has its check', () => isChecked());
  await twin.webhooks.settle();
  twin.assertClean();
  const delivery = twin.deliveries[firstDelivery];
  if (delivery?.event !== 'issue_comment') throw new Error('the comment made no webhook');
  return readSpent(delivery.deliveredAt, comment.id, twin.requests.slice(firstRequest));

  async function isChecked(): Promise<boolean> {
    const head = await twin.head(REPO, branch);
    return twin.checkRuns(REPO, head).some(({ status }) => status === 'completed');
  }
}

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s in vain until ${what}`);
    await sleep(25);
  }
}
