/**
 * Text as an inline code span, whatever it holds: the run of backticks around it is longer than any inside,
 * line breaks and other control characters become blanks.
 * Source: CommonMark 0.31.2, section 6.1.
 */
export function codeSpan(text: string): string {
  const line = text.replace(/[\u0000-\u001f\u007f\u2028\u2029]/gu, ' ');
  const longest = Math.max(0, ...(line.match(/`+/gu) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
