/**
 * The text with everything inside inline code spans blanked out, line breaks kept, so that offsets and lines
 * stay true. Linear in the text, however many backticks find no partner.
 * Source: CommonMark 0.31.2, section 6.1.
 */
export function maskCodeSpans(text: string): string {
  const runs = [...text.matchAll(/\\`|`+/gu)].filter(([run]) => run[0] !== '\\');
  const nextOfLength = new Map<number, number[]>();
  runs.forEach((run, at) => {
    const queue = nextOfLength.get(run[0].length) ?? [];
    queue.push(at);
    nextOfLength.set(run[0].length, queue);
  });
  let masked = '';
  let copied = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const opener = runs[at] as RegExpExecArray;
    const queue = nextOfLength.get(opener[0].length) ?? [];
    while (queue.length > 0 && (queue[0] as number) <= at) queue.shift();
    const closerAt = queue[0];
    if (closerAt === undefined) continue;
    const closer = runs[closerAt] as RegExpExecArray;
    const start = opener.index + opener[0].length;
    masked += text.slice(copied, start) + text.slice(start, closer.index).replace(/[^\n]/gu, ' ');
    copied = closer.index;
    at = closerAt;
  }
  return masked + text.slice(copied);
}
