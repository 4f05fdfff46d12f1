import { codeSpan } from '../../markdown/code-span.ts';
import { parseDocument } from '../../markdown/document.ts';
import { type Refusal, refuse } from './refusal.ts';

/**
 * What the caller asks for. Source: seed `extract-section`, Invocation contract. Paths are relative to the root
 * of the repository, anchors are lines of the target to the byte, without terminator.
 */
export interface ExtractRequest {
  readonly target: string;
  readonly section: string;
  readonly reference: string;
  readonly startAfter?: string | undefined;
  readonly endBefore?: string | undefined;
  /** Phrases that must stay in the target; one phrase a line, blank ones ignored. */
  readonly inlineKeep?: readonly string[] | undefined;
  /** Where the edited files are copied to; `none` skips the copy. */
  readonly bundleCopyDir?: string | undefined;
  /** The skeleton's one sentence on what the section is for; a plain one is made from the title otherwise. */
  readonly purpose?: string | undefined;
}

/** The fields in one line, for whoever left out a required one. */
const USAGE =
  'Target file: <path>, Section: <heading line>, Reference file: <path> (required); ' +
  'Start after: <line>, End before: <line>, Inline-keep: <phrase>, Bundle copy dir: <path|none>, Purpose: <sentence> (optional)';

/** A field counts as provided if and only if it has a non-empty, non-whitespace value. */
export function isProvided(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** The checks that need no file: required fields, and values that must be one line. */
export function checkArguments(request: ExtractRequest): Refusal | undefined {
  const missing = [
    ['Target file', request.target],
    ['Section', request.section],
    ['Reference file', request.reference],
  ].filter(([, value]) => !isProvided(value));
  if (missing.length > 0) {
    const names = missing.map(([name]) => `\`${name}:\``).join(', ');
    return refuse(
      'incomplete args',
      `${names} ${missing.length > 1 ? 'are' : 'is'} missing. Usage: ${USAGE}`,
    );
  }
  return checkSingleLines(request);
}

function checkSingleLines(request: ExtractRequest): Refusal | undefined {
  const anchors = {
    Section: request.section,
    'Start after': request.startAfter,
    'End before': request.endBefore,
  };
  for (const [field, value] of Object.entries(anchors)) {
    if (value !== undefined && /[\r\n]/u.test(value)) {
      return refuse(
        'anchor is not a single line',
        `\`${field}:\` holds a line break. Give one line of the file.`,
      );
    }
  }
  return isProvided(request.purpose) ? checkPurpose(request.purpose.trim()) : undefined;
}

// The purpose becomes a line of the target: it must not open a heading, a list, a fence or anything else there.
function checkPurpose(purpose: string): Refusal | undefined {
  if (/[\r\n]/u.test(purpose)) {
    return refuse(
      'purpose is not a single line',
      '`Purpose:` holds a line break. Give one sentence on one line.',
    );
  }
  const { blocks } = parseDocument(Buffer.from(purpose, 'utf8'));
  if (blocks.length === 1 && blocks[0]?.kind === 'paragraph') return undefined;
  return refuse(
    'purpose is not plain text',
    `${codeSpan(purpose)} would not read as a sentence. Begin it with a word.`,
  );
}
