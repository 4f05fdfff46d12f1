const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** One line of a file. Offsets are bytes, 0-based; `end` is where the next line starts. */
export interface Line {
  /** 1-based. */
  readonly number: number;
  readonly start: number;
  /** Where the text of the line begins: after the byte order mark on line 1, else `start`. */
  readonly textStart: number;
  /** Where the text of the line ends: its terminator (LF, CRLF or CR), if any, stands between here and `end`. */
  readonly textEnd: number;
  readonly end: number;
}

/** The lines of a file, every byte accounted for: line 1 starts at 0, each line ends where the next starts. */
export interface LineIndex {
  readonly bytes: Uint8Array;
  /** A terminator at the end of the file ends the last line, it does not begin another. */
  readonly count: number;
  /** The line with this 1-based number; throws a RangeError outside 1..count. */
  readonly line: (lineNumber: number) => Line;
}

/**
 * Finds the lines of a file as CommonMark defines them (LF, CRLF or a lone CR ends one; mixing is fine).
 * Source: CommonMark 0.31.2, section 2.1.
 */
export function indexLines(bytes: Uint8Array): LineIndex {
  const starts = findStarts(bytes);
  const count = starts.length - 1;
  const bom = hasBom(bytes) ? BOM.length : 0;
  const line = (lineNumber: number): Line => {
    const start = starts[lineNumber - 1];
    const end = starts[lineNumber];
    if (start === undefined || end === undefined || lineNumber < 1) {
      throw new RangeError(`line ${lineNumber} is outside 1..${count}`);
    }
    const textStart = start + (lineNumber === 1 ? bom : 0);
    return { number: lineNumber, start, textStart, textEnd: findTextEnd(bytes, textStart, end), end };
  };
  return { bytes, count, line };
}

/** True when the file begins with a UTF-8 byte order mark. */
export function hasBom(bytes: Uint8Array): boolean {
  return BOM.every((byte, at) => bytes[at] === byte);
}

/** The bytes of whole lines `first`..`last` (1-based, inclusive), terminators included. */
export function sliceLines(index: LineIndex, first: number, last: number): Uint8Array {
  return index.bytes.subarray(index.line(first).start, index.line(last).end);
}

/** Which terminator new lines in this file should carry: CRLF when more lines end with it than with LF. */
export function dominantTerminator(index: LineIndex): '\n' | '\r\n' {
  let lf = 0;
  let crlf = 0;
  for (let number = 1; number <= index.count; number += 1) {
    const { textEnd, end } = index.line(number);
    if (end - textEnd === 2) crlf += 1;
    else if (end - textEnd === 1 && index.bytes[textEnd] === LF) lf += 1;
  }
  return crlf > lf ? '\r\n' : '\n';
}

function findStarts(bytes: Uint8Array): number[] {
  const starts = [0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) starts.push(at + 1);
  }
  if (starts[starts.length - 1] !== bytes.length) starts.push(bytes.length);
  return starts;
}

function findTextEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  if (at > start && bytes[at - 1] === LF) {
    at -= 1;
    return at > start && bytes[at - 1] === CR ? at - 1 : at;
  }
  return at > start && bytes[at - 1] === CR ? at - 1 : at;
}
