import { isUtf8 } from 'node:buffer';
import { indexLines } from './line-index.ts';

export type DecodedText =
  | { readonly kind: 'text'; readonly text: string }
  /** `lineNumber` is 1-based: the first line that holds the fault. */
  | { readonly kind: 'not-text'; readonly fault: 'NUL' | 'invalid UTF-8'; readonly lineNumber: number };

/**
 * Reads bytes as UTF-8 text, the byte order mark kept. Refuses what no exact count of characters and no exact
 * JSON could be made of: a NUL byte or a byte sequence that is not UTF-8.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const nul = bytes.indexOf(0);
  if (nul >= 0) return { kind: 'not-text', fault: 'NUL', lineNumber: lineOf(bytes, nul) };
  if (!isUtf8(bytes))
    return { kind: 'not-text', fault: 'invalid UTF-8', lineNumber: firstInvalidLine(bytes) };
  return { kind: 'text', text: decodeUtf8(bytes) };
}

/** Reads bytes as UTF-8, the byte order mark kept, what is not UTF-8 replaced. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** How many Unicode code points a well-formed text holds (not UTF-16 units, not bytes). */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}

function lineOf(bytes: Uint8Array, offset: number): number {
  return Math.max(1, indexLines(bytes.subarray(0, offset + 1)).count);
}

// No UTF-8 sequence holds a line terminator, so the fault lies within one line.
function firstInvalidLine(bytes: Uint8Array): number {
  const lines = indexLines(bytes);
  for (let number = 1; number <= lines.count; number += 1) {
    const { start, end } = lines.line(number);
    if (!isUtf8(bytes.subarray(start, end))) return number;
  }
  return lines.count;
}
