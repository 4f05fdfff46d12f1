import type MarkdownIt from 'markdown-it';

type StateBlock = InstanceType<MarkdownIt['block']['State']>;

const OPENING = /^\[\^[^\s\][]{1,999}\]:[ \t]*/u;
const CONTINUATION_INDENT = 4;

/**
 * A GFM footnote definition as a block container: `[^label]:`, then whatever is indented by four columns.
 * Without it `[^1]: text` over `---` would read as a setext heading, which GitHub does not make of it.
 * Source: github.com/github/cmark-gfm, footnotes extension; micromark-extension-gfm-footnote.
 */
export function footnoteDefinitionRule(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  if (columnOf(state, startLine) - state.blkIndent >= CONTINUATION_INDENT) return false;
  const textStart = at(state.bMarks, startLine) + at(state.tShift, startLine);
  const opening = OPENING.exec(state.src.slice(textStart, at(state.eMarks, startLine)));
  if (!opening) return false;
  if (silent) return true;

  const open = state.push('footnote_definition_open', '', 1);
  open.map = [startLine, startLine];
  const before = keepLine(state, startLine);
  enterContent(state, startLine, textStart, opening[0].length);
  state.md.block.tokenize(state, startLine, endLine);
  before.restore();
  open.map[1] = state.line;
  state.push('footnote_definition_close', '', -1);
  return true;
}

// The rest of the opening line is the first line of the content; later lines are told by their indentation.
function enterContent(state: StateBlock, line: number, textStart: number, markerLength: number): void {
  const contentStart = textStart + markerLength;
  const isBlank = contentStart >= at(state.eMarks, line);
  state.blkIndent += CONTINUATION_INDENT;
  state.bMarks[line] = contentStart;
  state.tShift[line] = 0;
  state.sCount[line] = isBlank ? 0 : state.blkIndent;
  state.parentType = 'blockquote';
}

function keepLine(state: StateBlock, line: number): { restore: () => void } {
  const [bMark, tShift, sCount] = [state.bMarks[line], state.tShift[line], state.sCount[line]];
  const [blkIndent, parentType] = [state.blkIndent, state.parentType];
  return {
    restore: () => {
      state.bMarks[line] = bMark as number;
      state.tShift[line] = tShift as number;
      state.sCount[line] = sCount as number;
      state.blkIndent = blkIndent;
      state.parentType = parentType;
    },
  };
}

function columnOf(state: StateBlock, line: number): number {
  return at(state.sCount, line);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}
