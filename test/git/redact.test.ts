import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactorFor } from '../../src/git/redact.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('redactorFor', () => {
  const secret = 'p/a+s=s w%rd-0123456789';
  const redact = redactorFor([secret]);

  it.each([
    ['as it is', secret],
    ['in base64', base64(secret)],
    ['as the password of x-access-token', base64(`x-access-token:${secret}`)],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in lower case', encodeURIComponent(secret).replace(/%../g, code => code.toLowerCase())],
    ['base64 inside a URL', encodeURIComponent(base64(secret))],
  ])('masks the secret %s', (_, form) => {
    expect(redact(`before ${form} after`)).toBe('before *** after');
  });

  it('leaves no long piece of the secret whatever user name it is encoded with', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), user => {
        const inner = base64(secret).slice(4, -4);
        const clean = redact(base64(`${user}:${secret}`));
        expect(clean).toContain('***');
        expect(clean).not.toContain(inner);
      }),
    );
  });

  it('masks what looks like a token although nobody registered it', () => {
    const unknown = redactorFor([]);
    const long = `ghs_${'x'.repeat(30)}.${'y'.repeat(200)}_-${'z'.repeat(20)}`;
    expect(unknown(`a ${long} b`)).toBe('a *** b');
    expect(unknown(`ghp_${'1'.repeat(36)}`)).toBe('***');
    expect(unknown('https://me:pw@host/x')).toBe('https://***@host/x');
    expect(unknown('Authorization: Basic Zm9vOmJhcg==')).toBe('Authorization: ***');
  });

  it('leaves other text alone', () => {
    const text = "fatal: couldn't find remote ref refs/heads/ghs_short";
    expect(redact(text)).toBe(text);
    expect(redactorFor([''])(text)).toBe(text);
  });
});
