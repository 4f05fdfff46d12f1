import { findCommandLines } from './find-command-lines.ts';
import { readFlags, type Word } from './read-flags.ts';
import { type CommandSpec, type Field, findCommand, HELP } from './registry.ts';

/** A command as somebody wrote it. `index` counts the commands of a comment from 0; it is part of a run's id. */
export type ParsedCommand = { readonly index: number; readonly text: string } & (
  | {
      readonly kind: 'command';
      readonly spec: CommandSpec;
      /** By the field's key; more than one value only where the field may repeat. */
      readonly values: Readonly<Record<string, readonly string[]>>;
      readonly argument: string | undefined;
      readonly isDryRun: boolean;
      /** `@<sha>`: the head the writer looked at, as far as they wrote it. */
      readonly head: string | undefined;
    }
  /** Ours, but it can not be understood; `problem` completes the sentence "Not understood: ...". */
  | { readonly kind: 'malformed'; readonly spec: CommandSpec; readonly problem: string }
  /** `/skillkeeper` with a word that is no command. */
  | { readonly kind: 'unknown'; readonly word: string }
);

/** More commands than this in one comment are refused, each by name. */
const MOST_COMMANDS = 5;

/**
 * Reads the commands of a comment, in order. Bare words that are not ours are not there at all: other bots share
 * the slash. At most five a comment: the sixth comes as `malformed` and ends the reading, so that one comment never
 * makes more than a handful of answers. At most one of them writes; words that are no command are told once.
 * Source: product page, Commands; labelled lines lose exactly one blank behind the colon, nothing else.
 */
export function parseComment(body: string): ParsedCommand[] {
  const { lines, commands } = findCommandLines(body);
  const parsed: ParsedCommand[] = [];
  for (const [position, { at, text }] of commands.entries()) {
    const next = commands[position + 1]?.at ?? lines.length;
    const command = parseCommand(text, lines.slice(at + 1, next), parsed.length);
    if (!command || isToldAlready(command, parsed)) continue;
    parsed.push(limit(command, parsed));
    if (parsed.length > MOST_COMMANDS) break;
  }
  return parsed;
}

function isToldAlready({ kind }: ParsedCommand, before: readonly ParsedCommand[]): boolean {
  return kind === 'unknown' && before.some(other => other.kind === 'unknown');
}

function limit(command: ParsedCommand, before: readonly ParsedCommand[]): ParsedCommand {
  const { index, text } = command;
  if (before.length >= MOST_COMMANDS) {
    const spec = command.kind === 'unknown' ? HELP : command.spec;
    const problem = `a comment may hold ${MOST_COMMANDS} commands. Put what follows into a comment of its own`;
    return { kind: 'malformed', index, text, spec, problem };
  }
  const isSecondWriting =
    command.kind === 'command' &&
    command.spec.isWriting &&
    before.some(other => other.kind === 'command' && other.spec.isWriting);
  if (!isSecondWriting) return command;
  const problem = 'a comment may hold one writing command. Put it into a comment of its own';
  return { kind: 'malformed', index, text, spec: command.spec, problem };
}

function parseCommand(line: string, following: readonly string[], index: number): ParsedCommand | undefined {
  const [, prefix, rest = ''] = /^\/(skillkeeper)?(.*)$/su.exec(line) ?? [];
  const isPrefixed = prefix !== undefined && /^(\s|$)/u.test(rest);
  const words = isPrefixed ? rest.trimStart() : line.slice(1);
  const [name = ''] = /^[a-z][a-z-]*/u.exec(words) ?? [];
  const behind = words.slice(name.length);
  const spec = /^(\s|$)/u.test(behind) ? findCommand(name) : undefined;
  const text = `/${isPrefixed ? 'skillkeeper ' : ''}${name}`;
  if (!isPrefixed) return spec?.isBareWord ? readValues(spec, behind, following, index, text) : undefined;
  if (!spec) return { kind: 'unknown', index, text: '/skillkeeper', word: words.split(/\s/u)[0] ?? '' };
  return readValues(spec, behind, following, index, text);
}

interface Reading {
  readonly values: Record<string, string[]>;
  argument?: string;
  isDryRun: boolean;
  head?: string;
  problem?: string;
}

function readValues(
  spec: CommandSpec,
  behind: string,
  following: readonly string[],
  index: number,
  text: string,
): ParsedCommand {
  const reading: Reading = { values: {}, isDryRun: false };
  const flags = readFlags(behind);
  if (flags.kind === 'malformed') return { kind: 'malformed', index, text, spec, problem: flags.problem };
  takeWords(spec, flags.words, reading);
  takeLabelledLines(spec, following, reading);
  const { values, argument, isDryRun, head, problem } = reading;
  if (problem) return { kind: 'malformed', index, text, spec, problem };
  return { kind: 'command', index, text, spec, values, argument, isDryRun, head };
}

function takeWords(spec: CommandSpec, words: readonly Word[], reading: Reading): void {
  for (let at = 0; at < words.length && !reading.problem; at += 1) {
    const { text, isQuoted } = words[at] as Word;
    const [, flag, inline] = isQuoted ? [] : (/^--([a-z-]+)(?:=(.*))?$/su.exec(text) ?? []);
    if (flag === undefined) takePlainWord(spec, text, isQuoted, reading);
    else if (flag === 'dry-run' && spec.isWriting && inline === undefined) reading.isDryRun = true;
    else at += takeFlag(spec, flag, inline ?? words[at + 1]?.text, inline === undefined, reading);
  }
}

function takePlainWord(spec: CommandSpec, text: string, isQuoted: boolean, reading: Reading): void {
  const [, head] = isQuoted ? [] : (/^@([0-9a-f]{7,64})$/u.exec(text) ?? []);
  if (head !== undefined && spec.isWriting) reading.head = head;
  else if (spec.argument && reading.argument === undefined) reading.argument = text;
  else
    reading.problem = `\`${shorten(text)}\` is not a flag. Give values as \`--flag value\` or as labelled lines under the command`;
}

// How many words the flag took beside itself.
function takeFlag(
  spec: CommandSpec,
  flag: string,
  value: string | undefined,
  isApart: boolean,
  reading: Reading,
): number {
  const field = spec.fields.find(candidate => candidate.flag === flag);
  if (!field) reading.problem = `there is no flag \`--${shorten(flag)}\``;
  else if (value === undefined) reading.problem = `\`--${flag}\` needs a value`;
  else give(field, value, reading);
  return isApart ? 1 : 0;
}

// Labelled lines follow the command directly; the first line that is none ends them.
function takeLabelledLines(spec: CommandSpec, lines: readonly string[], reading: Reading): void {
  for (const line of lines) {
    const [, label = '', value = ''] = /^([A-Za-z][A-Za-z -]*):(?: ?)(.*)$/su.exec(line) ?? [];
    const field = spec.fields.find(candidate => candidate.label.toLowerCase() === label.toLowerCase());
    if (!field || reading.problem) return;
    give(field, value, reading);
  }
}

function give(field: Field, value: string, reading: Reading): void {
  const given = reading.values[field.key] ?? [];
  if (given.length > 0 && !field.mayRepeat) reading.problem = `\`${field.label}:\` is given twice`;
  reading.values[field.key] = [...given, value];
}

function shorten(text: string): string {
  const plain = text.replaceAll('`', "'");
  return plain.length > 40 ? `${plain.slice(0, 40)}...` : plain;
}
