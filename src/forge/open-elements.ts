// https://html.spec.whatwg.org/multipage/syntax.html#void-elements
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

export interface OpenElements {
  /** Names, innermost first. */
  readonly open: readonly string[];
  /** The first piece that ends inside a tag or a comment. */
  readonly brokenPiece?: number;
}

/** Which HTML elements are still open after these pieces of HTML. An end tag without a beginning is ignored. */
export function openElements(pieces: readonly string[]): OpenElements {
  const stack: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (!readPiece(piece, stack)) return { open: [], brokenPiece: index };
  }
  return { open: stack.reverse() };
}

/** False when it ends in the middle of something. */
function readPiece(html: string, stack: string[]): boolean {
  let at = html.indexOf('<');
  while (at >= 0) {
    const end = html.startsWith('<!--', at) ? endOfComment(html, at) : endOfTag(html, at, stack);
    if (end < 0) return false;
    at = html.indexOf('<', end);
  }
  return true;
}

function endOfComment(html: string, at: number): number {
  // `<!-->` and `<!--->` are whole comments.
  const end = html.indexOf('-->', at + 2);
  return end < 0 ? -1 : end + 3;
}

/** The offset after a tag; after `<` alone where no tag begins; -1 when it does not end or cannot be closed. */
function endOfTag(html: string, at: number, stack: string[]): number {
  const next = html.charAt(at + 1);
  if (next === '!' || next === '?') {
    const end = html.indexOf('>', at);
    return end < 0 ? -1 : end + 1;
  }
  const isEnd = next === '/';
  const nameAt = at + (isEnd ? 2 : 1);
  if (nameAt >= html.length) return -1;
  if (!/[a-z]/i.test(html.charAt(nameAt))) return at + 1;
  const end = endOfAttributes(html, nameAt);
  if (end < 0) return -1;
  const name = (/^[^\s/>]+/.exec(html.slice(nameAt, end))?.[0] ?? '').toLowerCase();
  // Not a name that Markdown could close again; no element GitHub shows has one like it.
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return -1;
  if (isEnd) close(stack, name);
  else if (!VOID.has(name)) stack.push(name);
  return end;
}

/** A `>` inside quotes does not end a tag. */
function endOfAttributes(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return -1;
}

function close(stack: string[], name: string): void {
  const index = stack.lastIndexOf(name);
  if (index >= 0) stack.length = index;
}
