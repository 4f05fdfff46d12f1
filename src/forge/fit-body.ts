import { closeMarkdown } from './close-markdown.ts';

/** How much GitHub takes, and how it counts. */
export interface BodySize {
  readonly limit: number;
  readonly count: (text: string) => number;
}

/**
 * A comment, or the body of an issue or pull request: "maximum is 65536 characters". Comments were measured to hold
 * more (262,144 bytes), bodies of pull requests not (https://github.com/dead-claudia/github-limits/pull/13). UTF-16
 * units are never fewer than characters, so this is below the limit however it is counted; a little is left over.
 */
export const COMMENT_SIZE: BodySize = { limit: 65_400, count: text => text.length };

/**
 * Summary and text of a check run: documented as 65,535 characters, enforced as bytes: "summary exceeds a maximum
 * bytesize of 65535" (https://github.com/github/docs/issues/35252).
 */
export const CHECK_SIZE: BodySize = { limit: 65_535, count: text => Buffer.byteLength(text) };

export interface FitOptions {
  /** The last block (markers, footer): always there, whole, whatever has to go before it. */
  readonly tail?: string;
  /** Markdown for the closing line of a cut body: where the rest is. */
  readonly rest?: string;
}

/**
 * Markdown that fits: as it is when it does, else cut between two lines, with every fence, HTML comment and HTML
 * element (`<details>`, tables) closed again and a line that says how much was cut. `tail` is put under it either
 * way and is never swallowed by something the body left open.
 *
 * Throws a `RangeError` when the tail alone does not fit: it is ours to keep short.
 *
 * @example
 * fitBody(report, COMMENT_SIZE, { tail: '<!-- skillkeeper:sticky -->' });
 */
export function fitBody(body: string, size: BodySize, { tail = '', rest = '' }: FitOptions = {}): string {
  if (body === '') return tail;
  const foot = tail === '' ? '' : `\n\n${tail}`;
  if (size.count(body) + size.count(foot) <= size.limit) {
    if (tail === '') return body;
    const { closers, cutBefore } = closeMarkdown(body);
    const whole = `${body}${closers}${foot}`;
    if (cutBefore === undefined && size.count(whole) <= size.limit) return whole;
  }
  const all = characters(body);
  const room = size.limit - size.count(foot) - size.count(noticeOf(all, rest));
  if (room < 0) throw new RangeError('the tail of a body does not fit by itself');
  let kept = cutBetweenLines(longestStart(body, room, size), body);
  for (;;) {
    const { closers, cutBefore } = closeMarkdown(kept);
    if (cutBefore !== undefined) {
      kept = firstLines(kept, cutBefore);
      continue;
    }
    const end = `${noticeOf(all - characters(kept), rest)}${foot}`;
    const whole = kept === '' ? end.trimStart() : `${kept}${closers}${end}`;
    if (size.count(whole) <= size.limit) return whole;
    // What closes grows with what is open, so as much less is kept as the two are too long together.
    const share = (size.limit - size.count(end)) / size.count(`${kept}${closers}`);
    const length = Math.min(kept.length - 1, Math.floor(kept.length * share));
    kept = cutBetweenLines(startOf(kept, length), body);
  }
}

function noticeOf(cut: number, rest: string): string {
  const more = rest === '' ? '' : ` ${rest}`;
  const count = cut.toLocaleString('en').replaceAll(',', ' ');
  return `\n\n_Cut here: ${count} more characters did not fit._${more}`;
}

function characters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** The most that fits by itself, never half a character. */
function longestStart(text: string, room: number, { count }: BodySize): string {
  // No unit of UTF-16 counts less than one, so a longer start cannot fit.
  let fits = 0;
  let tooMuch = Math.min(text.length, room) + 1;
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (count(startOf(text, middle)) <= room) fits = middle;
    else tooMuch = middle;
  }
  return startOf(text, fits);
}

function startOf(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}

/** Back to the last whole line, unless that gives up more than half: a giant line is cut inside. */
function cutBetweenLines(text: string, whole: string): string {
  if (text.length === whole.length) return text;
  const end = text.lastIndexOf('\n');
  if (end <= text.length / 2) return text;
  const next = /^[^\n]*/.exec(whole.slice(end + 1))?.[0] ?? '';
  const kept = text.slice(0, end);
  // The head of a table without the line under it would be a paragraph.
  if (!/^[\s|:-]*\|[\s|:-]*$/.test(next)) return kept;
  return kept.slice(0, Math.max(0, kept.lastIndexOf('\n')));
}

function firstLines(text: string, count: number): string {
  return text.split('\n').slice(0, count).join('\n').trimEnd();
}
