import type { LineIndex } from './line-index.ts';

/**
 * The 1-based numbers of the lines whose text is exactly these bytes: no normalisation, terminators and the
 * byte order mark left out of the comparison. What `grep -Fxn` would print, without its shell and locale.
 */
export function findLines(lines: LineIndex, text: string): number[] {
  const wanted = Buffer.from(text, 'utf8');
  const found: number[] = [];
  for (let number = 1; number <= lines.count; number += 1) {
    const { textStart, textEnd } = lines.line(number);
    if (textEnd - textStart !== wanted.length) continue;
    if (wanted.equals(lines.bytes.subarray(textStart, textEnd))) found.push(number);
  }
  return found;
}
