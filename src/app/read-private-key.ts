import { createPrivateKey, type KeyObject } from 'node:crypto';

export type PrivateKey =
  /** PKCS#8 PEM, whatever came in. */
  | { readonly kind: 'read'; readonly pem: string }
  /** Continues a sentence that begins with the variable's name. */
  | { readonly kind: 'refused'; readonly problem: string };

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/;

/**
 * Reads an app's private key in the forms it travels in: PEM as downloaded, with `\n` written out, with its line
 * ends turned into blanks, in quotes, or all of it in base64; PKCS#1 (what GitHub gives) and PKCS#8.
 */
export function readPrivateKey(text: string): PrivateKey {
  const [, label, body] = PEM.exec(unwrap(text)) ?? [];
  if (label === undefined || body === undefined)
    return refuse('holds no complete PEM, from "-----BEGIN" to the "-----END" line.');
  if (label === 'OPENSSH PRIVATE KEY') return refuse('is an SSH key, not the key of an app.');
  if (label === 'ENCRYPTED PRIVATE KEY' || /ENCRYPTED/.test(body)) return refuse('needs a passphrase.');
  if (!label.endsWith('PRIVATE KEY')) return refuse(`holds a ${label.toLowerCase()}, not a private key.`);
  const key = parse(label, body);
  if (key === undefined) return refuse('cannot be read as a key: it is damaged or was cut.');
  if (key.asymmetricKeyType !== 'rsa') return refuse('is no RSA key, and keys of apps are.');
  return { kind: 'read', pem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function unwrap(text: string): string {
  const lines = text.replaceAll('\\r', '').replaceAll('\\n', '\n');
  return PEM.test(lines) ? lines : Buffer.from(text, 'base64').toString('latin1');
}

function parse(label: string, body: string): KeyObject | undefined {
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  try {
    return createPrivateKey([`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n'));
  } catch {
    return undefined; // its message says nothing a person could act on
  }
}

function refuse(problem: string): PrivateKey {
  return { kind: 'refused', problem };
}
