import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeEnvironment } from '../../src/app/describe-environment.ts';
import { composeCommandLineReference } from './command-line-reference.ts';
import { composeCommentReference } from './comment-reference.ts';
import { fillReference } from './fill-reference.ts';

/** A page of the docs that is made, wholly or in part, from what runs. */
export interface Reference {
  readonly file: string;
  /** The page as it should be, from the page as it is. */
  readonly compose: (page: string) => string;
}

export const REFERENCES: readonly Reference[] = [
  { file: 'docs/command-line.md', compose: composeCommandLineReference },
  { file: 'docs/commands.md', compose: page => fillReference(page, composeCommentReference()) },
  { file: 'docs/configure.md', compose: page => fillReference(page, describeEnvironment()) },
];

export function readPage(file: string): string {
  return readFileSync(pathOf(file), 'utf8');
}

function pathOf(file: string): string {
  return join(import.meta.dirname, '../..', file);
}

if (process.argv[1] === import.meta.filename)
  for (const { file, compose } of REFERENCES) writeFileSync(pathOf(file), compose(readPage(file)));
