import { createHmac, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

export const APP_ID = 4711;
export const SECRET = 'the-webhook-secret-of-benches-long-enough';

export interface BenchDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Examples {
  readonly name: string;
  readonly examples: readonly CommentEvent[];
}

interface CommentEvent {
  readonly action?: string;
  readonly installation?: object;
  readonly issue: object;
  readonly comment: object;
}

export const COMMAND =
  '/extract-section\nTarget file: skills/big/SKILL.md\nSection: ## Long\nReference file: skills/big/references/long.md';
export const TALK =
  'Thank you, this reads well now.\nShall we merge it this week?\n\n- the table is new\n- the rest moved';
/** Stand where the numbers go, so that each delivery costs its maker as little as possible. */
const [COMMENT_ID, ISSUE_NUMBER] = [8_888_888_888, 7_777_777_777];

/**
 * Makes deliveries of `issue_comment.created` from one that GitHub sent, signed as GitHub signs: each a comment
 * of its own that says `text`, on one of a thousand pull requests.
 */
export function deliveryMaker(text: string): () => BenchDelivery {
  const parts = JSON.stringify(recordedEvent(text)).split(new RegExp(`(${COMMENT_ID}|${ISSUE_NUMBER})`, 'u'));
  let made = 0;
  return () => {
    made += 1;
    const [comment, issue] = [String(1_000_000 + made), String(1 + (made % 1000))];
    const filled = parts.map(part =>
      part === String(COMMENT_ID) ? comment : part === String(ISSUE_NUMBER) ? issue : part,
    );
    const body = Buffer.from(filled.join(''));
    return { body, headers: headersOf(body) };
  };
}

function recordedEvent(body: string): object {
  const all = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly Examples[];
  const events = all.find(({ name }) => name === 'issue_comment')?.examples ?? [];
  const event = events.find(({ action, installation }) => action === 'created' && installation !== undefined);
  if (event === undefined) throw new Error('no comment of an installation is recorded');
  return {
    ...event,
    issue: { ...event.issue, number: ISSUE_NUMBER },
    comment: { ...event.comment, id: COMMENT_ID, body },
  };
}

function headersOf(body: Buffer): Record<string, string> {
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'GitHub-Hookshot/7f0c2d1',
    'x-github-delivery': randomUUID(),
    'x-github-event': 'issue_comment',
    'x-github-hook-installation-target-id': String(APP_ID),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  };
}
