import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { composeCommitMessage } from '../../../src/procedures/extract-section/compose-commit-message.ts';
import { renderAnswer, renderProse } from '../../../src/procedures/extract-section/render-answer.ts';
import { verdictOfMismatch } from '../../../src/procedures/extract-section/verdict.ts';
import { lines, runExtract } from './run-extract.ts';

describe('renderAnswer', () => {
  it('puts the prose first and exactly one fenced JSON block last, whatever the section is called', async () => {
    const section = '## ``` @all <!-- fixes #1';
    const { verdict } = await runExtract(lines(section, 'x'), { section });
    const answer = renderAnswer(verdict);
    const blocks = fromMarkdown(answer).children;
    expect(answer.startsWith('Status: SUCCESS\n')).toBe(true);
    expect(blocks.filter(({ type }) => type === 'code')).toHaveLength(1);
    expect(blocks.at(-1)).toMatchObject({ type: 'code', lang: 'json' });
    expect(JSON.parse((blocks.at(-1) as { value: string }).value)).toEqual(verdict);
  });

  it('says in one paragraph what moved, how much, and what became of the target', async () => {
    const { verdict } = await runExtract(lines('## Move', 'x'.repeat(1233), '## Next'));
    expect(renderProse(verdict)).toBe(
      lines(
        'Status: SUCCESS',
        '',
        'Moved the body of `## Move` of `skills/x/SKILL.md` to `skills/x/references/moved.md`, byte for byte: 1 234 characters (lines 2-2); target 1 250 before, 134 after; bundle sync skipped.',
      ),
    );
  });

  it('says what failed and that nothing was changed', async () => {
    const { verdict } = await runExtract(lines('## Move'));
    expect(renderProse(verdict)).toMatch(
      /^Status: EXECUTION_ERROR\n\nNot done, nothing was changed: empty extraction range\. /u,
    );
  });

  it('calls a mismatch a failed test', () => {
    const size = { chars: 1, bytes: 1 };
    const verdict = verdictOfMismatch({
      ...{ target: 'a.md', section: '## A', reference: 'b.md', extracted: size, before: size, after: size },
      ...{ range: { first: 2, last: 2 }, movedHeadings: [], warnings: ['look at this.'] },
    });
    expect(verdict).toMatchObject({
      status: 'verification_failed',
      reason: 'byte mismatch',
      verbatim_check: 'mismatch',
      edited_files: [],
    });
    expect(renderProse(verdict)).toMatch(
      /^Status: TEST_FAILED\n\n[^\n]*byte mismatch[^\n]*\nWarning: look at this\.\n$/u,
    );
  });
});

describe('composeCommitMessage', () => {
  it('closes no issue and calls nobody, whatever the section is called', async () => {
    const section = '## Fixes #12, acme/x#3, GH-4 by @all and @acme/team';
    const { verdict } = await runExtract(lines(section, 'x'), { section });
    expect(composeCommitMessage(verdict)).not.toMatch(/#\d|@\w|GH-\d/u);
  });

  it('names the section and the file within 72 characters, and counts what moved', async () => {
    const section = `## ${'Long '.repeat(20)}title`;
    const { verdict } = await runExtract(lines(section, 'é'), { section });
    const message = composeCommitMessage(verdict);
    const [subject = '', blank] = message.split('\n');
    expect([...subject].length).toBe(72);
    expect(blank).toBe('');
    expect(message).toContain('(2 characters, 3 bytes)');
  });
});
