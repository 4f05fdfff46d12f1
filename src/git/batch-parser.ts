import { GitFault } from './git-fault.ts';
import type { GitObject, ObjectType } from './git-object.ts';

export type BatchAnswer =
  | { readonly kind: 'object'; readonly object: GitObject }
  | { readonly kind: 'too-large'; readonly id: string; readonly size: number }
  /** No object: the whole line git wrote instead, such as `<name> missing`. */
  | { readonly kind: 'line'; readonly line: string };

interface Body {
  readonly id: string;
  readonly type: ObjectType;
  readonly size: number;
  /** Undefined for an object that is skipped. */
  readonly bytes: Buffer | undefined;
  filled: number;
}

const HEADER = /^([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) (\d+)$/;
const LF = 0x0a;
const MAX_LINE_BYTES = 64 * 1024;

/**
 * Reads the output of `git cat-file --batch` as it comes, in chunks of any size: a header line, then exactly as
 * many bytes as it says, then a line break. Every answer is handed to `emit` once it is whole. Throws
 * `git-bad-output` when the stream is not of that shape.
 */
export function createBatchParser(
  limits: { readonly maxObjectBytes: number },
  emit: (answer: BatchAnswer) => void,
): (chunk: Buffer) => void {
  let line: Buffer[] = [];
  let lineBytes = 0;
  let body: Body | undefined;

  const readLine = (chunk: Buffer, at: number): number => {
    const end = chunk.indexOf(LF, at);
    const part = chunk.subarray(at, end < 0 ? chunk.length : end);
    lineBytes += part.length;
    if (lineBytes > MAX_LINE_BYTES) throw badOutput('a line without an end');
    line.push(part);
    if (end < 0) return chunk.length;
    const text = Buffer.concat(line).toString('utf8');
    line = [];
    lineBytes = 0;
    body = bodyOf(text, limits.maxObjectBytes);
    if (body === undefined) emit({ kind: 'line', line: text });
    return end + 1;
  };
  const readBody = (chunk: Buffer, at: number, into: Body): number => {
    if (into.filled === into.size) {
      if (chunk[at] !== LF) throw badOutput('an object longer than its header says');
      body = undefined;
      emit(answerOf(into));
      return at + 1;
    }
    const end = Math.min(chunk.length, at + into.size - into.filled);
    if (into.bytes !== undefined) chunk.copy(into.bytes, into.filled, at, end);
    into.filled += end - at;
    return end;
  };
  return chunk => {
    let at = 0;
    while (at < chunk.length) at = body === undefined ? readLine(chunk, at) : readBody(chunk, at, body);
  };
}

function bodyOf(line: string, maxObjectBytes: number): Body | undefined {
  const [, id, type, digits] = HEADER.exec(line) ?? [];
  if (id === undefined || type === undefined || digits === undefined) return undefined;
  const size = Number(digits);
  const bytes = size > maxObjectBytes ? undefined : Buffer.allocUnsafeSlow(size);
  return { id, type: type as ObjectType, size, bytes, filled: 0 };
}

function answerOf({ id, type, size, bytes }: Body): BatchAnswer {
  return bytes === undefined
    ? { kind: 'too-large', id, size }
    : { kind: 'object', object: { id, type, bytes } };
}

function badOutput(what: string): GitFault {
  return new GitFault('git-bad-output', `git cat-file wrote ${what}. Check the installed git.`);
}
