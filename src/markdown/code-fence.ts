/** Text as a fenced code block, whatever it holds: the fence is longer than any run of backticks inside. */
export function codeFence(text: string, info = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${fence}`;
}
