/**
 * The text with everything inside inline code spans blanked out, line breaks kept, so that offsets and lines
 * stay true. Linear in the text, however many backticks find no partner.
 * Source: CommonMark 0.31.2, section 6.1.
 */
export function maskCodeSpans(text: string): string {
  const runs = [...text.matchAll(/\\`|`+/gu)].filter(([run]) => run[0] !== '\\');
  const nextOfSameLength = linkRuns(runs.map(([run]) => run.length));
  let masked = '';
  let copied = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const opener = runs[at] as RegExpExecArray;
    const closerAt = nextOfSameLength[at];
    if (closerAt === undefined) continue;
    const closer = runs[closerAt] as RegExpExecArray;
    const start = opener.index + opener[0].length;
    masked += text.slice(copied, start) + text.slice(start, closer.index).replace(/[^\n]/gu, ' ');
    copied = closer.index;
    at = closerAt;
  }
  return masked + text.slice(copied);
}

// For each run of backticks the next one of the same length, which would close it.
function linkRuns(lengths: readonly number[]): (number | undefined)[] {
  const next: (number | undefined)[] = [];
  const seen = new Map<number, number>();
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    const length = lengths[at] ?? 0;
    next[at] = seen.get(length);
    seen.set(length, at);
  }
  return next;
}
