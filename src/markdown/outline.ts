import { parseDocument } from './document.ts';
import { findSections } from './find-sections.ts';
import { findTraps, type Trap } from './find-traps.ts';

/** How the engine sees a Markdown file. Lines are 1-based; `start`-`end` is the body (empty when `start > end`). */
export interface Outline {
  readonly headings: readonly {
    readonly line: number;
    readonly level: number;
    readonly text: string;
    readonly slug: string;
    readonly start: number;
    readonly end: number;
  }[];
  readonly traps: readonly Trap[];
}

/** The top-level headings of a file with the range each one's body has by the default rule, and its traps. */
export function outline(bytes: Uint8Array): Outline {
  const document = parseDocument(bytes);
  return {
    headings: findSections(document).map(({ headingFirstLine, level, text, slug, start, end }) => ({
      line: headingFirstLine,
      level,
      text,
      slug,
      start,
      end,
    })),
    traps: findTraps(document),
  };
}
