/** Takes secrets out of a text that a person or a log may see. */
export type Redact = (text: string) => string;

const MASK = '***';

// GitHub's tokens of every kind, the long `ghs_` format included; and what stands before `@` in a URL.
const TOKEN = /\b(?:gh[a-z]_[A-Za-z0-9._-]{36,}|github_pat_[A-Za-z0-9_]{36,})/g;
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;
const AUTHORIZATION = /(\bauthorization:\s*)(?:(?:basic|bearer|token)\s+)?\S+/gi;

/**
 * Makes a function that masks the given secrets by value, as they are and in every form they travel in
 * (base64, alone and as a password, and URL-encoded), then whatever looks like a token, an `Authorization`
 * header or the user part of a URL. Longest forms go first, so no rest of one is left standing.
 */
export function redactorFor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(secret => secret !== '').flatMap(formsOf))];
  forms.sort((a, b) => b.length - a.length);
  return text => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, MASK);
    return clean.replace(AUTHORIZATION, `$1${MASK}`).replace(TOKEN, MASK).replace(USER_INFO, `$1${MASK}@`);
  };
}

function formsOf(secret: string): string[] {
  const base64 = [secret, `x-access-token:${secret}`].map(text => Buffer.from(text).toString('base64'));
  const plain = [secret, ...base64, ...base64.map(form => form.replace(/=+$/, '')), ...base64Cores(secret)];
  const encoded = plain.map(encodeURIComponent);
  const lower = encoded.map(form => form.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase()));
  const urlSafe = plain.map(form => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...plain, ...encoded, ...lower, ...urlSafe].filter(form => form !== '');
}

/** What any base64 text holding the secret must contain, whatever stands before it: one per alignment. */
function base64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret);
  if (bytes.length < 8) return []; // a few base64 characters would mask innocent text
  return [0, 1, 2].map(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = shift === 0 ? 0 : shift + 1;
    const last = (shift + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    return text.slice(first, last);
  });
}
