// Shows the product at work on a throw-away repository; changes nothing outside a temporary folder.
// npm run demo
// npm run demo -- --repo DIR --target FILE --section HEADING --reference FILE [--start-after LINE] [--end-before LINE]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { renderDiff } from '../../src/cli/render-diff.ts';
import { addRequestOptions, type RequestOptions } from '../../src/cli/request-options.ts';
import { Fault } from '../../src/fault/fault.ts';
import { renderAnswer } from '../../src/procedures/extract-section/render-answer.ts';
import type { ExtractRequest } from '../../src/procedures/extract-section/request.ts';
import { landExtraction } from './land-extraction.ts';
import { cloneForDemo, makeSampleRemote } from './make-remote.ts';

const SAMPLE: ExtractRequest = {
  target: 'skills/release/SKILL.md',
  section: '## Phase 2: Release checklist',
  reference: 'skills/release/references/release-checklist.md',
};

const program = addRequestOptions(new Command('npm run demo --')).option(
  '--repo <dir>',
  'work on a throw-away clone of this repository',
);
const options = program.parse().opts<RequestOptions & { repo?: string }>();

const folder = await mkdtemp(join(tmpdir(), 'skillkeeper-demo-'));
try {
  process.exitCode = await demonstrate();
} catch (error) {
  console.error(error instanceof Fault ? error.message : error);
  process.exitCode = 2;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function demonstrate(): Promise<number> {
  const root = join(folder, 'forge');
  const isSample = options.repo === undefined;
  const remote = isSample ? makeSampleRemote(root) : await cloneForDemo(root, resolve(options.repo ?? '.'));
  const request = isSample ? SAMPLE : { target: '', section: '', reference: '', ...options };
  say(
    `A repository with one branch stands behind git over HTTP. Extracting ${request.section} from ${request.target}:`,
  );
  const landed = await landExtraction({ folder, root, remote, request });
  if (landed.kind === 'refused') {
    say(renderAnswer(landed.verdict));
    return 2;
  }
  say(
    await renderDiff(landed.before, landed.changes, {
      ...process,
      isTerminal: process.stdout.isTTY === true,
      noColour: Boolean(process.env.NO_COLOR),
      directory: folder,
    }),
  );
  say(renderAnswer(landed.verdict));
  say(`One commit on ${landed.branch}, pushed without a work tree:\n\n${landed.log}`);
  return 0;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
