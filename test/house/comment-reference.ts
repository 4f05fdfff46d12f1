import { COMMANDS, type CommandSpec } from '../../src/commands/registry.ts';
import { renderHelp } from '../../src/commands/render-help.ts';

/** The commands one can comment: what `/skillkeeper help` answers, all of it. */
export function composeCommentReference(): string {
  const sections = COMMANDS.map(spec => `## \`${nameOf(spec)}\`\n\n${renderHelp(spec.name)}\n`);
  return [`${renderHelp()}\n`, ...sections].join('\n');
}

function nameOf({ name, isBareWord }: CommandSpec): string {
  return isBareWord ? `/${name}` : `/skillkeeper ${name}`;
}
