/** The frontmatter of a file: its first and last line (the `---` fences), 1-based, inclusive. */
export interface Frontmatter {
  readonly firstLine: 1;
  readonly lastLine: number;
}

export type FrontmatterResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly frontmatter: Frontmatter }
  /** Line 1 opens it and nothing closes it: every reader then takes the lines for ordinary Markdown. */
  | { readonly kind: 'unclosed' };

const FENCE = /^---[ \t]*$/u;
const KEY = /^[A-Za-z_][\w-]*[ \t]*:/u;

/**
 * Finds YAML frontmatter: `---` alone on line 1, closed by the next `---` alone on a line (blanks may follow
 * both). `lineTexts` are the lines without terminators and byte order mark.
 */
export function findFrontmatter(lineTexts: readonly string[]): FrontmatterResult {
  if (!FENCE.test(lineTexts[0] ?? '')) return { kind: 'none' };
  const closer = lineTexts.findIndex((text, at) => at > 0 && FENCE.test(text));
  if (closer > 0) return { kind: 'found', frontmatter: { firstLine: 1, lastLine: closer + 1 } };
  return KEY.test(lineTexts[1] ?? '') ? { kind: 'unclosed' } : { kind: 'none' };
}
