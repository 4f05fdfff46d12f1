import type { Role } from '../forge/forge.ts';

/** A value a command takes: as a labelled line (`Target file: x`) or as a flag (`--target x`). */
export interface Field {
  readonly key: string;
  readonly label: string;
  readonly flag: string;
  readonly isRequired?: boolean;
  readonly mayRepeat?: boolean;
  readonly meaning: string;
}

/** One row of the registry: what parser, help, documentation and routing know of a command. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Takes part in the order of writing runs, takes `--dry-run`, one of them a comment. */
  readonly isWriting: boolean;
  /** May be written without `/skillkeeper`; other bots share words like `help`. */
  readonly isBareWord: boolean;
  /** The least role that may run it; undefined for everybody. */
  readonly leastRole?: Role;
  readonly fields: readonly Field[];
  /** What may stand behind the name without a flag, for instance the command that help is asked for. */
  readonly argument?: string;
  /** A comment that works, lines and all. */
  readonly example: string;
}

const EXTRACT_SECTION: CommandSpec = {
  name: 'extract-section',
  summary: 'move one section of a Markdown file into a reference file, byte for byte, as one commit',
  isWriting: true,
  isBareWord: true,
  leastRole: 'write',
  fields: [
    {
      key: 'target',
      label: 'Target file',
      flag: 'target',
      isRequired: true,
      meaning: 'the SKILL.md or other Markdown file to extract from',
    },
    {
      key: 'section',
      label: 'Section',
      flag: 'section',
      isRequired: true,
      meaning: "the section's heading line, to the letter",
    },
    {
      key: 'reference',
      label: 'Reference file',
      flag: 'reference',
      isRequired: true,
      meaning: 'the new file, usually `<skill>/references/<name>.md`',
    },
    {
      key: 'startAfter',
      label: 'Start after',
      flag: 'start-after',
      meaning: 'move only what follows this line of the section',
    },
    {
      key: 'endBefore',
      label: 'End before',
      flag: 'end-before',
      meaning: 'move only what precedes this line of the section',
    },
    {
      key: 'inlineKeep',
      label: 'Inline-keep',
      flag: 'inline-keep',
      mayRepeat: true,
      meaning: 'a phrase that must stay in the target',
    },
    {
      key: 'bundleCopyDir',
      label: 'Bundle copy dir',
      flag: 'bundle-copy-dir',
      meaning: 'where the edited files are copied to, or `none`',
    },
    {
      key: 'purpose',
      label: 'Purpose',
      flag: 'purpose',
      meaning: "the sentence left in the section's place",
    },
  ],
  example: [
    '/extract-section',
    'Target file: skills/deploy/SKILL.md',
    'Section: ## Phase 11: Code Review',
    'Reference file: skills/deploy/references/code-review.md',
  ].join('\n'),
};

/** What people are pointed to when nothing else fits. */
export const HELP: CommandSpec = {
  name: 'help',
  summary: 'what can be asked for, or how one command is used',
  isWriting: false,
  isBareWord: false,
  fields: [],
  argument: 'command',
  example: '/skillkeeper help extract-section',
};

/** Every command there is. Adding one is adding a row here and a procedure. */
export const COMMANDS: readonly CommandSpec[] = [EXTRACT_SECTION, HELP];

/** The row of a command, by its name. */
export function findCommand(name: string): CommandSpec | undefined {
  return COMMANDS.find(command => command.name === name);
}
