import { isUtf8 } from 'node:buffer';
import { Webhooks } from '@octokit/webhooks';

/** Says whether `signature` (the value of `X-Hub-Signature-256`) was made over exactly these bytes. */
export type VerifySignature = (body: Buffer, signature: string) => Promise<boolean>;

/**
 * Makes the check for the given secrets: the current one and, while a secret is rotated, the previous one.
 * The comparison takes constant time.
 *
 * `@octokit/webhooks` takes a string. Only bytes that are valid UTF-8 survive the way to a string and back
 * unchanged, so others are refused; GitHub never sends them.
 */
export function signatureVerifier(secrets: readonly string[]): VerifySignature {
  const checks = secrets.map(secret => new Webhooks({ secret }).verify);
  return async (body, signature) => {
    if (body.length === 0 || signature === '' || !isUtf8(body)) return false;
    const text = body.toString('utf8');
    for (const check of checks) if (await check(text, signature)) return true;
    return false;
  };
}
