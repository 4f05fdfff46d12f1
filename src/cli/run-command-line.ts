import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { Fault } from '../fault/fault.ts';
import { addExtractSection } from './extract-section-command.ts';
import { addOutline } from './outline-command.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** Runs one command line (the arguments after the program's name) and gives its exit code. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const end = (code: ExitCode): void => {
    exitCode = code;
  };
  try {
    await createProgram(terminal, end).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, terminal);
  }
}

/** The whole command line as commander sees it: what it runs, its help and the command reference come from it. */
export function createProgram(terminal: Terminal, end: (code: ExitCode) => void): Command {
  const program = new Command('skillkeeper')
    .description('Keeps agent-skill repositories and docs lean, in sync and verified.')
    .version(readVersion(), '-v, --version')
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.stdout.write(text),
      writeErr: text => terminal.stderr.write(text),
    })
    .showHelpAfterError('Run with --help to see an example.');
  addExtractSection(program, terminal, end);
  addOutline(program, terminal, end);
  return program;
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isOurs = error instanceof Fault;
  const message = error instanceof Error ? error.message : String(error);
  terminal.stderr.write(`${isOurs ? message : `Unexpected: ${message}. Please report it.`}\n`);
  if (!isOurs && error instanceof Error && error.stack) terminal.stderr.write(`${error.stack}\n`);
  return 2;
}

// One folder further down when built, so the file is looked for upwards.
function readVersion(folder = import.meta.dirname): string {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return readVersion(dirname(folder));
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
