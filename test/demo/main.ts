// Shows the product at work: a forge on this machine, the app with its worker and queue as real processes, a
// maintainer's comment, and what comes of it. Changes nothing outside a temporary folder.
// npm run demo
// npm run demo -- --repo DIR --target FILE --section HEADING --reference FILE [--start-after LINE] [--end-before LINE]
import { Command } from 'commander';
import { colourFor } from '../../src/cli/colour.ts';
import { addRequestOptions, type RequestOptions } from '../../src/cli/request-options.ts';
import { composeComment } from './compose-comment.ts';
import { openDemoStage } from './open-demo-stage.ts';
import { showConversation } from './show-conversation.ts';

const SAMPLE: RequestOptions = {
  target: 'skills/release/SKILL.md',
  section: '## Phase 2: Release checklist',
  reference: 'skills/release/references/release-checklist.md',
};
const PATIENCE_MS = 100_000;

const program = addRequestOptions(new Command('npm run demo --')).option(
  '--repo <dir>',
  'work on a throw-away clone of this repository',
);
const { repo, ...request } = program.parse().opts<RequestOptions & { repo?: string }>();
const colour = colourFor({
  ...process,
  isTerminal: process.stdout.isTTY === true,
  noColour: Boolean(process.env.NO_COLOR),
  directory: process.cwd(),
});

say(colour.bold('Starting a forge, and the app with its queue and worker ...'));
const stage = await openDemoStage(repo).catch((error: Error) => {
  process.stderr.write(`The demo can not begin: ${error.message.trim()}\n`);
  process.exit(2);
});
try {
  const pull = await stage.openPull();
  const body = composeComment(repo === undefined ? SAMPLE : request);
  say(colour.bold(`\nmara comments on pull request #${pull.number} of ${stage.repo}:\n`));
  say(indent(body));
  const comment = stage.comment(pull.number, body);
  const started = performance.now();
  await stage.waitForAnswer(comment.id, PATIENCE_MS);
  say(colour.bold(`\nAnswered after ${((performance.now() - started) / 1000).toFixed(1)} s.\n`));
  process.exitCode = await showConversation(stage, pull, comment, { say, colour });
} finally {
  await stage.close();
}

function indent(text: string): string {
  return text.replace(/^/gmu, '    ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
