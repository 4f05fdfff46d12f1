import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCommandLines, parsePlainText } from '../../src/commands/find-command-lines.ts';
import { mayRun } from '../../src/commands/may-run.ts';
import { parseComment } from '../../src/commands/parse-comment.ts';
import { readFlags } from '../../src/commands/read-flags.ts';
import { COMMANDS, findCommand } from '../../src/commands/registry.ts';
import { renderHelp } from '../../src/commands/render-help.ts';
import { parseDocument } from '../../src/markdown/document.ts';

const FIELDS = 'Target file: a/SKILL.md\nSection: ## Long\nReference file: a/references/long.md';
const values = (body: string) =>
  parseComment(body).map(command => (command.kind === 'command' ? command.values : command.kind));

describe('parseComment', () => {
  it('reads labelled lines, one blank behind the colon dropped and nothing else', () => {
    expect(
      values(
        `/extract-section\r\nTarget file: a/SKILL.md\r\nSection:  ## Two -- \`x\` "y" \r\nReference file:b.md\r\nInline-keep: one\r\nInline-keep: two\r\n`,
      ),
    ).toEqual([
      {
        target: ['a/SKILL.md'],
        section: [' ## Two -- `x` "y" '],
        reference: ['b.md'],
        inlineKeep: ['one', 'two'],
      },
    ]);
  });

  it('reads flags with quotes, escapes and equal signs', () => {
    const body = `/extract-section --target a/SKILL.md --section "## It's \\"q\\"" --reference='b c.md' --start-after \\-\\ x --dry-run`;
    expect(parseComment(body)).toMatchObject([
      {
        kind: 'command',
        isDryRun: true,
        values: {
          target: ['a/SKILL.md'],
          section: ['## It\'s "q"'],
          reference: ['b c.md'],
          startAfter: ['- x'],
        },
      },
    ]);
  });

  it('takes flags and labelled lines together, and the head the writer looked at', () => {
    expect(parseComment(`/extract-section --dry-run @a1b2c3d\n${FIELDS}`)).toMatchObject([
      { kind: 'command', isDryRun: true, head: 'a1b2c3d', values: { section: ['## Long'] } },
    ]);
  });

  it('ends the labelled lines at the first other line', () => {
    expect(values('/extract-section\nTarget file: a\n\nSection: ## B')).toEqual([{ target: ['a'] }]);
    expect(values('/extract-section\nplease\nTarget file: a')).toEqual([{}]);
  });

  it('finds a command anywhere at the start of a line of ordinary text', () => {
    expect(values(`Thanks!\n   /extract-section\n${FIELDS}`)).toHaveLength(1);
    expect(values(`/skillkeeper extract-section\n${FIELDS}`)).toEqual(values(`/extract-section\n${FIELDS}`));
  });

  it.each([
    ['a fence', '```\n/extract-section\n```'],
    ['a tilde fence', '~~~\n/extract-section\n~~~'],
    ['a fence nothing closes', '```\nx\n/extract-section'],
    ['indented code', 'x\n\n    /extract-section'],
    ['a quote', '> /extract-section'],
    ['the lazy end of a quote', '> x\n/extract-section'],
    ['a list', '- /extract-section'],
    ['the lazy end of a list', '- x\n/extract-section'],
    ['an HTML comment', '<!--\n/extract-section\n-->'],
    ['an inline HTML comment', 'x <!--\n/extract-section\n--> y'],
    ['raw HTML', '<details>\n/extract-section\n</details>'],
    ['inline code over two lines', '`x\n/extract-section`'],
    ['emphasis over two lines', '*x\n/extract-section*'],
    ['a link text', '[x\n/extract-section](u)'],
    ['struck text', '~~x\n/extract-section~~'],
    ['a heading', '# /extract-section'],
    ['a table', '| a |\n|---|\n/extract-section'],
    ['the middle of a line', 'run /extract-section'],
    ['an escaped slash', '\\/extract-section'],
    ['a footnote', '[^1]: x\n/extract-section'],
    ['a longer word', '/extract-sections\n/extract-section-x\n/extract-section.'],
    ['another bot', '/approve\n/help\n/lgtm\n/cancel'],
    ['upper case', '/Extract-Section'],
    ['a path', '/etc/passwd\n/skillkeeperx help'],
  ])('sees no command in %s', (_what, body) => {
    expect(parseComment(body)).toEqual([]);
  });

  it('answers /skillkeeper with a word it does not know, once a word', () => {
    expect(parseComment('/skillkeeper nonsense --x')).toMatchObject([{ kind: 'unknown', word: 'nonsense' }]);
    expect(parseComment('/skillkeeper')).toMatchObject([{ kind: 'unknown', word: '' }]);
  });

  it.each([
    ['--nonsense x', 'there is no flag `--nonsense`'],
    ['--target', '`--target` needs a value'],
    ['--target a --target b', '`Target file:` is given twice'],
    ['"open', 'the quote " is never closed'],
    ['stray', '`stray` is not a flag'],
  ])('says what it does not understand in %s', (behind, problem) => {
    expect(parseComment(`/extract-section ${behind}`)).toMatchObject([
      { kind: 'malformed', problem: expect.stringContaining(problem) },
    ]);
    expect(parseComment(`/extract-section --target a\nTarget file: b`)).toMatchObject([
      { kind: 'malformed' },
    ]);
  });

  it('takes five commands, one of them writing, and says so of the others', () => {
    const help = '/skillkeeper help\n\n';
    const two = parseComment(`/extract-section\n${FIELDS}\n\n/extract-section\n${FIELDS}`);
    expect(two).toMatchObject([
      { kind: 'command', index: 0 },
      { kind: 'malformed', index: 1, problem: expect.stringContaining('one writing command') },
    ]);
    const six = parseComment(help.repeat(6));
    expect(six.map(({ kind }) => kind)).toEqual([
      'command',
      'command',
      'command',
      'command',
      'command',
      'malformed',
    ]);
  });

  it('makes no more than a handful of answers, however many commands a comment holds', () => {
    const many = parseComment('/skillkeeper help\n\n'.repeat(2000));
    expect(many.map(({ kind }) => kind)).toEqual([...Array(5).fill('command'), 'malformed']);
    const wrong = parseComment('/extract-section --nonsense\n\n'.repeat(2000));
    expect(wrong).toHaveLength(6);
    expect(parseComment('/skillkeeper nonsense\n\n'.repeat(2000))).toMatchObject([{ kind: 'unknown' }]);
    const mixed = parseComment(
      `${'/skillkeeper help\n\n'.repeat(5)}/skillkeeper nonsense\n\n/skillkeeper help`,
    );
    expect(mixed.map(({ kind, index }) => [kind, index]).at(-1)).toEqual(['malformed', 5]);
  });

  it('never throws, and finds nothing where no line begins with a slash', () => {
    const piece = fc.constantFrom(
      '/extract-section',
      '/skillkeeper help',
      ' ',
      '\n',
      '`',
      '```',
      '> ',
      '- ',
      '<!--',
      '-->',
      '"',
      "'",
      '\\',
      '--target',
      'Section: x',
      '\r\n',
      '\0',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
        const body = pieces.join('');
        const found = parseComment(body);
        if (!/^ {0,3}\//mu.test(body.replaceAll('\r', '\n'))) expect(found).toEqual([]);
        found.forEach(({ index }, at) => {
          expect(index).toBe(at);
        });
      }),
    );
  });

  it('looks at nothing longer than a comment can be', () => {
    expect(parseComment(`/skillkeeper help\n${'x'.repeat(65_536)}`)).toEqual([]);
  });
});

describe('findCommandLines', () => {
  it('finds the same with and without the whole parse it skips for plain paragraphs', () => {
    const unit = fc.constantFrom(...'`*_<>[]&\\!@#:/.-ab \n', '://', 'www.', '/skillkeeper help\n', 'x@y.zz');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), text => {
        const body = `${text}\n/skillkeeper help`;
        const found = findCommandLines(body).commands.map(({ at }) => at);
        const paragraphs = parseDocument(Buffer.from(body)).blocks.filter(
          ({ kind, parent }) => kind === 'paragraph' && !parent,
        );
        const expected = paragraphs.flatMap(({ firstLine, lastLine }) => {
          const lines = body.split('\n').slice(firstLine - 1, lastLine);
          const plain = parsePlainText(lines.join('\n'));
          return lines.flatMap((line, index) => {
            const offset =
              lines.slice(0, index).join('\n').length +
              (index === 0 ? 0 : 1) +
              line.length -
              line.trimStart().length;
            const isPlain = plain.some(([start, end]) => start <= offset && offset < end);
            return isPlain && /^ {0,3}\/[a-z]/u.test(line) ? [firstLine - 1 + index] : [];
          });
        });
        expect(found).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readFlags', () => {
  it('gives back any words that were quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }).filter(text => !/[\r\n]/u.test(text))), words => {
        const line = words.map(text => `"${text.replace(/["\\]/gu, '\\$&')}"`).join(' ');
        const read = readFlags(line);
        expect(read.kind === 'read' && read.words.map(({ text }) => text)).toEqual(words);
      }),
    );
  });
});

describe('help', () => {
  it('lists every command, and explains each with an example that parses', () => {
    for (const { name } of COMMANDS) expect(renderHelp()).toContain(name);
    for (const spec of COMMANDS) {
      expect(renderHelp(spec.name)).toContain(spec.summary);
      expect(parseComment(spec.example)).toMatchObject([{ kind: 'command', spec: { name: spec.name } }]);
    }
  });

  it('never runs a command by being quoted or posted', () => {
    expect(parseComment(renderHelp())).toEqual([]);
    for (const { name } of COMMANDS) expect(parseComment(renderHelp(name))).toEqual([]);
    expect(renderHelp('`x`')).toContain('There is no command');
  });
});

describe('mayRun', () => {
  it('lets people with write access or more write, and everybody read help', () => {
    const [extract, help] = [findCommand('extract-section'), findCommand('help')];
    if (!extract || !help) throw new Error('the registry lacks a command');
    const roles = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
    expect(roles.map(role => mayRun(extract, role))).toEqual([false, false, false, true, true, true]);
    expect(roles.map(role => mayRun(help, role))).toEqual([true, true, true, true, true, true]);
  });
});
