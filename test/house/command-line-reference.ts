import { createProgram } from '../../src/cli/run-command-line.ts';

/** The help of every command of the command line, from the registry that runs them. A whole page. */
export function composeCommandLineReference(): string {
  const silent = { write: () => undefined };
  const terminal = { stdout: silent, stderr: silent, directory: '/', isTerminal: false, noColour: true };
  const program = createProgram(terminal, () => undefined);
  const sections = program.commands.map(command => {
    let help = '';
    command.configureOutput({ writeOut: text => (help += text), getOutHelpWidth: () => 80 });
    command.outputHelp();
    return `## \`skillkeeper ${command.name()}\`\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
  });
  return `# Command line\n\n<!-- Made by \`npm run docs\` from the command registry; edit the registry, not this file. -->\n\nExit codes: 0 done, 1 done with findings or a failed verification, 2 refused or failed.\n\n${sections.join('\n')}`;
}
