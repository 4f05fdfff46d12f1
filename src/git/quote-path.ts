/**
 * Writes a path the way git reads it in a stream: between double quotes, with everything that is not plain
 * printable ASCII as the octal of its UTF-8 byte. Any name git can hold comes back byte for byte.
 * Source: https://git-scm.com/docs/git-fast-import, `filemodify`
 */
export function quotePath(path: string): string {
  let quoted = '"';
  for (const byte of Buffer.from(path)) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    quoted += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `${quoted}"`;
}
