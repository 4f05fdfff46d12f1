import { codeSpan } from '../markdown/code-span.ts';
import { COMMANDS, type CommandSpec, findCommand } from './registry.ts';

/** The help reply: all commands, or one with its fields and an example. Made from the registry alone. */
export function renderHelp(about?: string): string {
  const spec = about === undefined ? undefined : findCommand(about.replace(/^\//u, ''));
  if (spec) return renderOne(spec);
  const unknown = about === undefined ? '' : `There is no command ${codeSpan(about.slice(0, 40))}. `;
  const rows = COMMANDS.map(
    command => `| \`${nameOf(command)}\` | ${command.summary} | ${whoMay(command)} |`,
  );
  return [
    `${unknown}These commands exist. Write one at the start of a line of a new comment; \`/skillkeeper help <command>\` explains it.`,
    '',
    '| command | does | who |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function renderOne(spec: CommandSpec): string {
  const lines = [`\`${nameOf(spec)}\`: ${spec.summary}. For ${whoMay(spec)}.`];
  if (spec.fields.length > 0) {
    lines.push('', '| labelled line | flag | meaning |', '| --- | --- | --- |');
    for (const { label, flag, isRequired, mayRepeat, meaning } of spec.fields) {
      const notes = [isRequired ? 'required' : '', mayRepeat ? 'may repeat' : ''].filter(Boolean).join(', ');
      lines.push(`| \`${label}:\` | \`--${flag}\` | ${meaning}${notes ? ` (${notes})` : ''} |`);
    }
  }
  if (spec.isWriting)
    lines.push(
      '',
      '`--dry-run` shows the exact diff and changes nothing; `@<commit>` names the head you looked at.',
    );
  // Indented, so that nobody who quotes the reply runs it.
  lines.push('', 'Example:', '', ...spec.example.split('\n').map(line => `    ${line}`));
  return lines.join('\n');
}

function nameOf({ name, isBareWord }: CommandSpec): string {
  return isBareWord ? `/${name}` : `/skillkeeper ${name}`;
}

function whoMay({ leastRole }: CommandSpec): string {
  return leastRole === undefined ? 'everybody' : `people with ${leastRole} access or more`;
}
