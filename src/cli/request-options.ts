import type { Command } from 'commander';

/** The fields of an extraction as options of the command line; a value may begin with dashes. */
export interface RequestOptions {
  readonly target?: string;
  readonly section?: string;
  readonly reference?: string;
  readonly startAfter?: string;
  readonly endBefore?: string;
  readonly inlineKeep?: string[];
  readonly bundleCopyDir?: string;
  readonly purpose?: string;
}

/** Gives a command the options that describe an extraction. None is required here: the verdict says what is missing. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('--target <path>', 'the SKILL.md or other Markdown file to extract from (required)')
    .option('--section <heading>', "the section's heading line, to the letter (required)")
    .option('--reference <path>', 'the new file, usually <skill>/references/<name>.md (required)')
    .option('--start-after <line>', 'move only what follows this line of the section')
    .option('--end-before <line>', 'move only what precedes this line of the section')
    .option('--inline-keep <phrase>', 'a phrase that must stay in the target; may be repeated', collect)
    .option('--bundle-copy-dir <path>', 'where the edited files are copied to; none: nowhere')
    .option('--purpose <sentence>', 'one sentence on what the section is for, left in its place');
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}
