import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { decodeText } from '../markdown/decode-text.ts';
import { type Outline, outline } from '../markdown/outline.ts';
import { colourFor } from './colour.ts';
import type { ExitCode, Terminal } from './terminal.ts';

type FileOutline = { readonly file: string } & Outline;

/** `skillkeeper outline FILE... [--json]`: how the engine sees a file. */
export function addOutline(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('outline')
    .description('show the headings of Markdown files, the lines each section spans, and structural traps')
    .argument('<file...>', 'Markdown files')
    .option('--json', 'one JSON array on standard output')
    .addHelpText('before', 'Example:\n  skillkeeper outline skills/deploy/SKILL.md\n')
    .action(async (files: string[], options: { json?: boolean }) => {
      const outlines: FileOutline[] = [];
      for (const file of files) {
        const result = await readOutline(resolve(terminal.directory, file), file);
        if (typeof result !== 'string') outlines.push(result);
        else {
          terminal.stderr.write(`${result}\n`);
          end(2);
        }
      }
      if (options.json) terminal.stdout.write(`${JSON.stringify(outlines, null, 2)}\n`);
      else terminal.stdout.write(outlines.map(found => render(found, terminal)).join('\n'));
    });
}

async function readOutline(path: string, file: string): Promise<FileOutline | string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
  if (bytes instanceof Error) {
    const why =
      bytes.code === 'ENOENT'
        ? 'it does not exist'
        : bytes.code === 'EISDIR'
          ? 'it is a folder'
          : bytes.message;
    return `${file} can not be read: ${why}.`;
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === 'not-text')
    return `${file} can not be read: ${decoded.fault} on line ${decoded.lineNumber}. Save it as UTF-8.`;
  return { file, ...outline(bytes) };
}

function render({ file, headings, traps }: FileOutline, terminal: Terminal): string {
  const colour = colourFor(terminal);
  const rows = headings.map(({ line, level, text, slug, start, end }) => {
    const span = start > end ? 'empty' : `${start}-${end}`;
    const name = `${'  '.repeat(level - 1)}${'#'.repeat(level)} ${text.replace(/\s+/gu, ' ')}`;
    return `${String(line).padStart(6)}  ${colour.bold(name)}  ${colour.dim(`${span}  #${slug}`)}\n`;
  });
  const warnings = traps.map(
    ({ line, kind }) => `${String(line).padStart(6)}  ${colour.yellow(`trap: ${kind}`)}\n`,
  );
  return `${colour.cyan(file)}\n${rows.join('')}${warnings.join('')}`;
}
