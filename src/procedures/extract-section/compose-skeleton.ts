import { posix } from 'node:path';
import type { Document } from '../../markdown/document.ts';
import { dominantTerminator } from '../../markdown/line-index.ts';
import { parentOf, type RepoPath } from '../../snapshot/repo-path.ts';
import type { Range } from './resolve-range.ts';

/**
 * The one line that stands in for the moved text: what the section is for and where to read on. The pointer is
 * the seed's, word for word. Source: seed `extract-section`, Process step 4.
 */
export function composePointer(target: RepoPath, reference: RepoPath, purpose: string): string {
  const from = parentOf(target);
  const path = posix.relative(from === '' ? '.' : from, reference);
  return `${purpose} Read ${path} and follow the procedure from top to bottom.`;
}

/** The purpose sentence the caller gave, or one that claims nothing but the title. */
export function composePurpose(given: string | undefined, title: string): string {
  const purpose = given?.trim();
  return purpose ? purpose : `The full text of ${title} is in a reference file.`;
}

/**
 * The bytes that take the place of the range: the line between blank ones, so that it never runs into its
 * neighbours, inside the container `prefix` (blanks of a list, `> ` of a quote). At the end of the file no blank
 * line follows.
 */
export function composeSkeleton(document: Document, range: Range, line: string, prefix: string): Uint8Array {
  const terminator = terminatorBefore(document, range) ?? dominantTerminator(document.lines);
  const blank = prefix.trimEnd() + terminator;
  const after = range.last < document.lines.count ? blank : '';
  return Buffer.from(blank + prefix + line + terminator + after, 'utf8');
}

// Behind a line that ends with a lone CR, an LF would not make a blank line but turn that end into CRLF.
function terminatorBefore({ lines: { bytes, line } }: Document, range: Range): '\r' | undefined {
  const { start } = line(range.first);
  return bytes[start - 1] === 0x0d ? '\r' : undefined;
}
