import { codeSpan } from '../../markdown/code-span.ts';
import type { Document } from '../../markdown/document.ts';
import { findLines } from '../../markdown/find-lines.ts';
import { findSections, type Section } from '../../markdown/find-sections.ts';
import { findSpans } from '../../markdown/find-spans.ts';
import type { Block } from '../../markdown/parse-blocks.ts';
import { ok, refuse, type Step } from './refusal.ts';

export interface FoundSection {
  readonly section: Section;
  readonly warnings: readonly string[];
}

/**
 * Finds the one real heading whose line is exactly the given one. Lines inside code, HTML and frontmatter never
 * are headings: they do not make a heading ambiguous, and can not be extracted by.
 */
export function findSection(document: Document, headingLine: string): Step<FoundSection> {
  const sections = findSections(document);
  const matches = findLines(document.lines, headingLine);
  const whereHidden = matches.length > 0 ? findHidden(document) : () => undefined;
  const real = matches.filter(line => whereHidden(line) === undefined);
  const [line, ...others] = real;
  if (line === undefined && matches[0] !== undefined) {
    return refuse(
      'section not found',
      `${codeSpan(headingLine)} stands only inside ${whereHidden(matches[0])} (line ${matches[0]}), where it is no heading.`,
    );
  }
  if (line === undefined) {
    const near = suggestHeadings(document, sections, headingLine);
    return refuse('section not found', `No line is exactly ${codeSpan(headingLine)}. ${near}`);
  }
  if (others.length > 0) {
    return refuse(
      'section heading not unique',
      `${codeSpan(headingLine)} stands on lines ${listNumbers(real)}. Rename one of them, or extract from the enclosing section with \`Start after:\` and \`End before:\`.`,
    );
  }
  const section = sections.find(candidate => isHeadingText(candidate, line));
  if (!section) return refuse('section is not a heading', explainNoHeading(document, headingLine, line));
  const hidden = matches.filter(match => match !== line);
  const warnings = hidden.map(
    match => `the same line stands inside ${whereHidden(match)} on line ${match}; it was left alone.`,
  );
  return ok({ section, warnings });
}

function explainNoHeading(document: Document, headingLine: string, line: number): string {
  const nested = document.blocks.find(
    block => block.kind === 'heading' && block.firstLine === line && block.parent,
  );
  const what = nested
    ? `is a heading inside a ${nested.parent?.kind === 'quote' ? 'quote' : 'list or footnote'}, which opens no section of the file`
    : 'is ordinary text';
  return `Line ${line}, ${codeSpan(headingLine)}, ${what}. Name a heading at the top level (\`skillkeeper outline\` lists them).`;
}

// Of a setext heading any line of its text names it, its underline does not.
function isHeadingText({ headingFirstLine, headingLastLine, style }: Section, line: number): boolean {
  return headingFirstLine <= line && line <= headingLastLine - (style === 'setext' ? 1 : 0);
}

const HIDING: Partial<Record<Block['kind'], string>> = {
  fence: 'a fenced block',
  code: 'indented code',
  html: 'an HTML block',
};

/** Tells what hides a line from the Markdown around it, in words; undefined for a line of ordinary Markdown. */
function findHidden(document: Document): (line: number) => string | undefined {
  const hidden = new Map<number, string>();
  const paint = (firstLine: number, lastLine: number, what: string | undefined) => {
    for (let line = firstLine; line <= lastLine; line += 1) {
      if (what === undefined) hidden.delete(line);
      else hidden.set(line, what);
    }
  };
  for (const span of findSpans(document)) {
    if (span.kind === 'comment') paint(span.firstLine, span.lastLine, 'an HTML comment');
  }
  for (const { kind, firstLine, lastLine } of document.blocks) {
    if (kind === 'heading') paint(firstLine, lastLine, undefined);
    else if (HIDING[kind]) paint(firstLine, lastLine, HIDING[kind]);
  }
  paint(1, document.frontmatter?.lastLine ?? 0, 'the frontmatter');
  return line => hidden.get(line);
}

const MOST_SUGGESTIONS = 5;

function suggestHeadings(document: Document, sections: readonly Section[], headingLine: string): string {
  const lines = sections.map(({ headingFirstLine }) => document.lineTexts[headingFirstLine - 1] ?? '');
  const wanted = simplify(headingLine);
  const near = lines.filter(line => {
    const simple = simplify(line);
    return simple !== '' && wanted !== '' && (simple.includes(wanted) || wanted.includes(simple));
  });
  const shown = (near.length > 0 ? near : lines).slice(0, MOST_SUGGESTIONS).map(codeSpan).join(', ');
  if (shown === '') return 'The file has no headings.';
  return near.length > 0 ? `Near it: ${shown}.` : `Its headings begin with ${shown}.`;
}

function simplify(line: string): string {
  return line.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function listNumbers(numbers: readonly number[]): string {
  return numbers.length < 2 ? numbers.join('') : `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}
