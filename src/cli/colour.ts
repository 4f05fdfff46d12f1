import pc from 'picocolors';
import type { Terminal } from './terminal.ts';

/** Colours for a terminal; plain text everywhere else and when `NO_COLOR` is set. */
export function colourFor(terminal: Terminal): ReturnType<typeof pc.createColors> {
  return pc.createColors(terminal.isTerminal && !terminal.noColour);
}
