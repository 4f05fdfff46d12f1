/** A mark of ours in a comment: a word, and what it carries. People do not see it. */
export interface Marker {
  /** `sticky`, `reply`, `gate`. */
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

const WORD = /^[a-z][a-z0-9-]*$/;
const LINE = /^<!-- skillkeeper:([a-z][a-z0-9-]*)((?: [a-z][a-z0-9-]*=[^\s=<>]*)*) -->$/;

/**
 * A marker as one line: `<!-- skillkeeper:reply run=7f3a -->`. Values may hold anything; escaped they hold neither
 * blanks nor `<`, `>` or `--`, so nothing in them ends the comment. Names are our own words and checked.
 *
 * Markers say where a comment belongs, not who wrote it: look at `isOurs` too.
 */
export function composeMarker({ name, values }: Marker): string {
  for (const word of [name, ...Object.keys(values)]) {
    if (!WORD.test(word)) throw new TypeError(`not a word for a marker: ${JSON.stringify(word)}`);
  }
  const pairs = Object.entries(values).map(([key, value]) => ` ${key}=${escapeValue(value)}`);
  return `<!-- skillkeeper:${name}${pairs.join('')} -->`;
}

/**
 * The marker of a body: its first line, else its last, and nothing but a marker as we write it. A marker further
 * inside, in a quote or a fence, is somebody's text.
 */
export function findMarker(body: string): Marker | undefined {
  const lines = body.trim().split(/\r\n|\n|\r/);
  return parseMarker(lines[0] ?? '') ?? parseMarker(lines.at(-1) ?? '');
}

function parseMarker(line: string): Marker | undefined {
  const [, name = '', pairs = ''] = LINE.exec(line) ?? [];
  if (name === '') return undefined;
  const entries = pairs
    .split(' ')
    .slice(1)
    .map(pair => {
      const [key = '', value = ''] = pair.split('=');
      return [key, unescapeValue(value)] as const;
    });
  const marker = { name, values: Object.fromEntries(entries) };
  // One way to write it, one way to read it: anything else did not come from us.
  return composeMarker(marker) === line ? marker : undefined;
}

function escapeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/-(?=-)|-$/g, '%2D');
}

function unescapeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
