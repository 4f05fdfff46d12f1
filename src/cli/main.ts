#!/usr/bin/env node
import { runCommandLine } from './run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  directory: process.cwd(),
  isTerminal: process.stdout.isTTY === true,
  noColour: Boolean(process.env.NO_COLOR),
});
