import { codeSpan } from '../../markdown/code-span.ts';
import type { Document } from '../../markdown/document.ts';
import { findLines } from '../../markdown/find-lines.ts';
import type { Section } from '../../markdown/find-sections.ts';
import { ok, type Reason, refuse, type Step } from './refusal.ts';
import { isProvided } from './request.ts';

/** The lines that move, 1-based, inclusive: the seed's [S,E]. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * Resolves the extraction range: the section's body, either side overridden by an anchor line. Both anchors must
 * lie within the section, so that no text leaves from under a heading nobody named.
 * Source: seed `extract-section`, Pre-flight steps 1 and 2.
 */
export function resolveRange(
  document: Document,
  section: Section,
  anchors: { readonly startAfter?: string | undefined; readonly endBefore?: string | undefined },
): Step<Range> {
  const start = findAnchor(document, 'Start after', anchors.startAfter);
  if (start.kind === 'refused') return start;
  const end = findAnchor(document, 'End before', anchors.endBefore);
  if (end.kind === 'refused') return end;
  const range = overrideSides(section, start.value, end.value);
  return range.kind === 'ok' ? refuseEmpty(document, range.value) : range;
}

function findAnchor(
  document: Document,
  field: 'Start after' | 'End before',
  anchor: string | undefined,
): Step<number | undefined> {
  if (!isProvided(anchor)) return ok(undefined);
  const [line, ...others] = findLines(document.lines, anchor);
  const reason = (what: 'not found' | 'not unique'): Reason => `${field} anchor ${what}`;
  if (line === undefined) {
    return refuse(
      reason('not found'),
      `No line is exactly ${codeSpan(anchor)}. Copy the whole line, blanks included.`,
    );
  }
  if (others.length > 0) {
    const lines = [line, ...others].join(', ');
    return refuse(
      reason('not unique'),
      `${codeSpan(anchor)} stands on lines ${lines}. Choose a line that stands once.`,
    );
  }
  return ok(line);
}

function overrideSides(section: Section, start: number | undefined, end: number | undefined): Step<Range> {
  const body = `the section's body is lines ${section.start}-${section.end}`;
  if (start !== undefined && (start < section.headingFirstLine || start > section.end)) {
    return refuse('start anchor outside section', `\`Start after:\` stands on line ${start}; ${body}.`);
  }
  if (end !== undefined && (end < section.start || end > section.end + 1)) {
    return refuse('end anchor outside section', `\`End before:\` stands on line ${end}; ${body}.`);
  }
  // The heading line itself as start anchor means the default start, for a setext heading under its underline.
  const first = Math.max(section.start, (start ?? 0) + 1);
  return ok({ first, last: end === undefined ? section.end : end - 1 });
}

function refuseEmpty(document: Document, range: Range): Step<Range> {
  const texts = document.lineTexts.slice(range.first - 1, Math.max(range.last, range.first - 1));
  if (texts.some(text => text.trim() !== '')) return ok(range);
  return refuse(
    'empty extraction range',
    range.first > range.last
      ? `Nothing stands between line ${range.first - 1} and line ${range.last + 1}. Check the anchors.`
      : `Lines ${range.first}-${range.last} are blank. Check the anchors.`,
  );
}
