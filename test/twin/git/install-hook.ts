import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Puts our hook where every repository of the twin looks for hooks (`core.hooksPath`). */
export function installHook(root: string, origin: string): void {
  const script = fileURLToPath(new URL('./proc-receive.mjs', import.meta.url));
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const command = `TWIN_ORIGIN=${quote(origin)} exec ${quote(process.execPath)} ${quote(script)}`;
  mkdirSync(join(root, 'hooks'), { recursive: true });
  writeFileSync(join(root, 'hooks', 'proc-receive'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
}
