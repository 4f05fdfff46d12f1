import type { IncomingMessage } from 'node:http';

/** GitHub sends at most 25 MB. */
export const BODY_LIMIT_BYTES = 25 * 1024 * 1024;

export interface BodyLimits {
  readonly limitBytes: number;
  /** For the whole body, in milliseconds: a client that sends a byte now and then is cut off too. */
  readonly timeoutMs: number;
}

export type Body =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'too-slow' }
  /** The client went away; there is nobody to answer. */
  | { readonly kind: 'aborted' };

/**
 * Reads a request's body under a cap: by its announced length first, without reading a byte, then by count.
 * After `too-large` and `too-slow` reading has stopped and the connection must be closed with the answer.
 * Never rejects.
 */
export function readBody(request: IncomingMessage, { limitBytes, timeoutMs }: BodyLimits): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes)
    return Promise.resolve({ kind: 'too-large' });
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (body: Body): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', finish).off('close', abort);
      if (body.kind !== 'read') request.pause();
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limitBytes) end({ kind: 'too-large' });
      else chunks.push(chunk);
    };
    const finish = (): void => end({ kind: 'read', bytes: Buffer.concat(chunks, size) });
    const abort = (): void => end({ kind: 'aborted' });
    const timer = setTimeout(() => end({ kind: 'too-slow' }), timeoutMs);
    request.on('error', () => {}); // `close` follows, and says the same
    request.on('data', take).on('end', finish).on('close', abort);
  });
}
