import type MarkdownIt from 'markdown-it';
import lheadingRule from 'markdown-it/lib/rules_block/lheading.mjs';
import paragraphRule from 'markdown-it/lib/rules_block/paragraph.mjs';
import referenceRule from 'markdown-it/lib/rules_block/reference.mjs';

type StateBlock = InstanceType<MarkdownIt['block']['State']>;
type Rule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** Where the last link definition ended: the next line may go on with the paragraph the definition began. */
interface DefinitionEnd {
  readonly line: number;
  /** How many tokens there were: a container that began or ended since has added some. */
  readonly tokens: number;
}

/** markdown-it's rule for link definitions, which also writes down where one ended. */
export const definitionRule: Rule = (state, startLine, endLine, silent) => {
  const isDefinition = referenceRule(state, startLine, endLine, silent);
  if (isDefinition && !silent) {
    const end: DefinitionEnd = { line: state.line, tokens: state.tokens.length };
    state.env.definitionEnd = end;
    takeLazyLines(state, endLine);
  }
  return isDefinition;
};

// What follows without the marks of the container is lazily part of the paragraph too, and never a setext heading.
function takeLazyLines(state: StateBlock, endLine: number): void {
  const line = state.line;
  if (line >= endLine || state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent) return;
  if (!interruptsParagraph(state, line, endLine)) paragraphRule(state, line, endLine, false);
}

/**
 * A link definition is the beginning of a paragraph, so the line under it is a continuation line: indented text is no
 * code there, and a tag that can not interrupt a paragraph begins no HTML block. markdown-it begins anew.
 * Source: CommonMark 0.31.2, section 4.7.
 */
export const definitionContinuationRule: Rule = (state, startLine, endLine, silent) => {
  const end: DefinitionEnd | undefined = state.env.definitionEnd;
  if (silent || end?.line !== startLine || end.tokens !== state.tokens.length) return false;
  if (interruptsParagraph(state, startLine, endLine) || referenceRule(state, startLine, endLine, true))
    return false;
  const column = state.sCount[startLine] ?? 0;
  state.sCount[startLine] = state.blkIndent; // as a continuation line its indentation means nothing
  const isTaken =
    lheadingRule(state, startLine, endLine, false) || paragraphRule(state, startLine, endLine, false);
  state.sCount[startLine] = column;
  return isTaken;
};

function interruptsParagraph(state: StateBlock, line: number, endLine: number): boolean {
  const column = state.sCount[line] ?? 0;
  // Below zero stands what a quote has already taken as lazy.
  if (column < 0 || column - state.blkIndent > 3) return false;
  const parentType = state.parentType;
  state.parentType = 'paragraph';
  const rules = state.md.block.ruler.getRules('paragraph');
  const interrupts = rules.some(rule => rule(state, line, endLine, true));
  state.parentType = parentType;
  return interrupts;
}
