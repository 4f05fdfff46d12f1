import { createHash } from 'node:crypto';
import type { BlobId } from './snapshot.ts';

/** The id git gives a blob of these bytes: the hash of `blob <length>\0` and the bytes, in hexadecimal. */
export function computeBlobId(bytes: Uint8Array, algorithm: 'sha1' | 'sha256' = 'sha1'): BlobId {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') as BlobId;
}
