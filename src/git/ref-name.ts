/** A whole name of a git ref, such as `refs/heads/main`: at least three parts, safe to put into a refspec. */
export type RefName = string & { readonly __brand: 'RefName' };

export type RefNameResult =
  | { readonly kind: 'ok'; readonly ref: RefName }
  | { readonly kind: 'unsafe'; readonly why: string };

// https://git-scm.com/docs/git-check-ref-format: no control characters, blanks, `~ ^ : ? * [ \`.
const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]/u;

/**
 * Reads the full name of a ref by the rules of `git check-ref-format`, and two of our own: it starts with
 * `refs/` and has a name below the kind (`refs/x` alone is refused by every server). A name that starts with
 * `-` or holds `:` or `*` can therefore never reach git as an option or a pattern.
 */
export function parseRefName(text: string): RefNameResult {
  const why = whyUnsafe(text);
  return why === undefined ? { kind: 'ok', ref: text as RefName } : { kind: 'unsafe', why };
}

/** `parseRefName` for names the program itself made: an unsafe one is a mistake of ours and throws. */
export function refName(text: string): RefName {
  const result = parseRefName(text);
  if (result.kind === 'unsafe') throw new TypeError(`not a ref name: ${JSON.stringify(text)}: ${result.why}`);
  return result.ref;
}

function whyUnsafe(text: string): string | undefined {
  if (!text.startsWith('refs/')) return 'it does not start with `refs/`';
  if (!text.isWellFormed()) return 'it holds half of a surrogate pair';
  if (FORBIDDEN.test(text)) return 'it holds a blank, a control character or one of ~ ^ : ? * [ \\';
  if (text.includes('..')) return 'it holds `..`';
  if (text.includes('@{')) return 'it holds `@{`';
  if (text.endsWith('.')) return 'it ends with a dot';
  const parts = text.split('/');
  if (parts.length < 3) return 'it names no ref below its kind';
  for (const part of parts) {
    if (part === '') return 'it holds an empty part';
    if (part.startsWith('.')) return 'a part of it starts with a dot';
    if (part.endsWith('.lock')) return 'a part of it ends with `.lock`';
  }
  return undefined;
}
