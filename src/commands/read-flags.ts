export type FlagLine =
  | { readonly kind: 'read'; readonly words: readonly Word[] }
  | { readonly kind: 'malformed'; readonly problem: string };

/** A word of a command line; one that begins with a quote is never a flag, whatever is in it. */
export interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

const PIECE = /\\(?<escaped>[\s\S])|'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|(?<plain>[^\s"'])/uy;

/**
 * Splits what follows a command on its line into words: single quotes keep everything, double quotes know
 * backslash escapes, outside of quotes a backslash keeps the next character. `--flag=value` is left whole.
 */
export function readFlags(line: string): FlagLine {
  const words: Word[] = [];
  let at = 0;
  while (at < line.length) {
    const blanks = /\s*/uy;
    blanks.lastIndex = at;
    at += blanks.exec(line)?.[0].length ?? 0;
    const word = readWord(line, at);
    if (word.end < line.length && !/\s/u.test(line[word.end] ?? '')) {
      return { kind: 'malformed', problem: `the quote ${line[word.end]} is never closed` };
    }
    if (word.end > at) words.push({ text: word.text, isQuoted: /["']/u.test(line[at] ?? '') });
    at = word.end;
  }
  return { kind: 'read', words };
}

function readWord(line: string, start: number): { readonly text: string; readonly end: number } {
  let text = '';
  let end = start;
  for (;;) {
    PIECE.lastIndex = end;
    const groups = PIECE.exec(line)?.groups;
    if (!groups) return { text, end };
    const { escaped, single, double, plain } = groups;
    text += escaped ?? single ?? double?.replace(/\\([\s\S])/gu, '$1') ?? plain ?? '';
    end = PIECE.lastIndex;
  }
}
