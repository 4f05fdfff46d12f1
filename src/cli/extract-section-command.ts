import { relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { commitWorkingDirectory } from '../git/commit-working-directory.ts';
import { type FoundCheckout, findCheckout } from '../git/find-checkout.ts';
import { openWorkingDirectory } from '../git/working-directory.ts';
import { writeWorkingDirectory } from '../git/write-working-directory.ts';
import { composeCommitMessage } from '../procedures/extract-section/compose-commit-message.ts';
import { type ExtractOutcome, extractSection } from '../procedures/extract-section/extract-section.ts';
import { renderAnswer, renderProse } from '../procedures/extract-section/render-answer.ts';
import { checkArguments, type ExtractRequest } from '../procedures/extract-section/request.ts';
import { type Verdict, verdictOfError } from '../procedures/extract-section/verdict.ts';
import { renderDiff } from './render-diff.ts';
import { addRequestOptions, type RequestOptions } from './request-options.ts';
import type { ExitCode, Terminal } from './terminal.ts';

interface Options extends RequestOptions {
  readonly directory?: string;
  readonly dryRun?: boolean;
  readonly commit?: boolean;
  readonly json?: boolean;
}

const USAGE =
  'Usage: skillkeeper extract-section --target <path> --section <heading line> --reference <path> [--start-after <line>] [--end-before <line>] [--inline-keep <phrase>]... (--help explains)';

const EXAMPLE = `Example:
  skillkeeper extract-section --target skills/deploy/SKILL.md \\
    --section '## Phase 11: Code Review' --reference skills/deploy/references/code-review.md
`;

/** `skillkeeper extract-section`: move one section into a reference file, byte for byte. */
export function addExtractSection(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  addRequestOptions(program.command('extract-section'))
    .description('move the body of one section into a reference file, byte for byte')
    .option('-C, --directory <dir>', 'work in this folder; paths start there')
    .option('--dry-run', 'show the exact diff, change nothing')
    .option('--commit', 'commit exactly this change on the current branch')
    .option('--json', 'one JSON object on standard output')
    .addHelpText('before', EXAMPLE)
    .action(async (options: Options) => end(await runExtractSection(options, terminal)));
}

async function runExtractSection(options: Options, terminal: Terminal): Promise<ExitCode> {
  const directory = resolve(terminal.directory, options.directory ?? '.');
  const checkout = await findCheckout(directory);
  const request = toRequest(options, checkout);
  if (checkout.kind !== 'found') {
    const refused = checkArguments(request) ?? refuseFolder(directory, checkout.why);
    return answer(verdictOfError(request, refused.reason, refused.detail), '', options, terminal);
  }

  const snapshot = openWorkingDirectory(checkout.root);
  const outcome = await extractSection(snapshot, request);
  if (outcome.kind !== 'done') return answer(outcome.verdict, '', options, terminal);

  const diff = options.json ? '' : await renderDiff(snapshot, outcome.changes, terminal);
  if (options.dryRun)
    return answer(outcome.verdict, `Dry run: nothing was changed.\n\n${diff}`, options, terminal);
  const landed = await land(checkout, request, outcome, options.commit === true);
  if (landed.kind === 'refused') return answer(landed.verdict, '', options, terminal);
  return answer(
    { ...outcome.verdict, ...landed.added },
    `${landed.added.commit ? `Committed ${landed.added.commit}.\n\n` : ''}${diff}`,
    options,
    terminal,
  );
}

type Landed =
  | { readonly kind: 'landed'; readonly added: { readonly commit?: string } }
  | { readonly kind: 'refused'; readonly verdict: Verdict };

type Found = Extract<FoundCheckout, { kind: 'found' }>;
type Done = Extract<ExtractOutcome, { kind: 'done' }>;

async function land(checkout: Found, request: ExtractRequest, done: Done, commit: boolean): Promise<Landed> {
  const landed = commit
    ? await commitWorkingDirectory(checkout, done.changes, composeCommitMessage(done.verdict))
    : await writeWorkingDirectory(checkout.root, done.changes);
  switch (landed.kind) {
    case 'written':
      return { kind: 'landed', added: {} };
    case 'committed':
      return { kind: 'landed', added: { commit: landed.commit } };
    case 'not-clean':
      return {
        kind: 'refused',
        verdict: verdictOfError(request, 'working tree not clean', `${landed.why}.`),
      };
    case 'stale':
      return {
        kind: 'refused',
        verdict: verdictOfError(
          request,
          'concurrent change',
          `\`${landed.path}\`: ${landed.why}. Try again.`,
        ),
      };
    case 'unsafe':
      return {
        kind: 'refused',
        verdict: verdictOfError(request, 'path not allowed', `\`${landed.path}\`: ${landed.why}.`),
      };
  }
}

// Paths on the command line start at the folder one works in; the engine's start at the root of the checkout.
function toRequest(options: Options, checkout: FoundCheckout): ExtractRequest {
  const rebase = (path: string | undefined): string | undefined => {
    if (checkout.kind !== 'found' || path === undefined || path.trim() === '' || path.trim() === 'none')
      return path;
    return fromRoot(checkout, path);
  };
  return {
    target: rebase(options.target) ?? '',
    section: options.section ?? '',
    reference: rebase(options.reference) ?? '',
    startAfter: options.startAfter,
    endBefore: options.endBefore,
    inlineKeep: options.inlineKeep,
    bundleCopyDir: rebase(options.bundleCopyDir),
    purpose: options.purpose,
  };
}

function fromRoot({ root, prefix }: Found, path: string): string {
  if (path.includes('\0') || path.startsWith('~')) return path;
  const fromHere = relative(root, resolve(root, prefix, path))
    .split(sep)
    .join('/');
  return fromHere === '' ? '.' : fromHere;
}

function refuseFolder(directory: string, why: string): { reason: string; detail: string } {
  return {
    reason: 'not a git repository',
    detail: `${directory} is not inside the working tree of a git repository (${why}). Go into one, or name it with -C.`,
  };
}

function answer(
  verdict: Verdict & { readonly commit?: string },
  more: string,
  options: Options,
  terminal: Terminal,
): ExitCode {
  if (options.json) terminal.stdout.write(`${JSON.stringify(verdict)}\n`);
  else if (terminal.isTerminal) terminal.stdout.write(`${renderProse(verdict)}\n${more}`);
  else terminal.stdout.write(`${more === '' ? '' : `${more}\n`}${renderAnswer(verdict)}`);
  if (verdict.reason === 'incomplete args') terminal.stderr.write(`${USAGE}\n`);
  return verdict.status === 'ok' ? 0 : verdict.status === 'verification_failed' ? 1 : 2;
}
