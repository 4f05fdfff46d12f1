import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readManifest } from '../../src/app/compose-manifest.ts';
import { environmentVariables } from '../../src/app/environment-variables.ts';
import { REFERENCES, readPage } from './command-reference.ts';
import { fillReference } from './fill-reference.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['README.md', 'CONTRIBUTING.md', ...pagesIn('docs')];

it.each(REFERENCES)('$file says what the code says (npm run docs writes it anew)', ({ file, compose }) => {
  expect(readPage(file)).toBe(compose(readPage(file)));
});

it('makes what stands between the marks, and leaves the rest of a page alone', () => {
  const page =
    'by hand\n\n<!-- Made by `npm run docs` from x. -->\nold\n<!-- Made until here. -->\n\nby hand too\n';
  const made = fillReference(page, 'new\n');
  expect(made).toBe(page.replace('old', '\nnew\n'));
  expect(fillReference(made, 'new')).toBe(made);
  expect(fillReference(page, '| a | b |\n| --- | --- |\n| `long` |  |')).toContain(
    '\n| a      | b   |\n| ------ | --- |\n| `long` |     |\n',
  );
  expect(() => fillReference('no marks', 'new')).toThrow('lost its marks');
  expect(() => fillReference('<!-- Made until here. -->\n', 'new')).toThrow('lost its marks');
});

it('explains in docs/security.md exactly the rights the app asks for', () => {
  const rows = [...readPage('docs/security.md').matchAll(/^\| `(\w+): (read|write)` +\|/gmu)];
  const explained = Object.fromEntries(rows.map(([, name, access]) => [name, access]));
  expect(explained).toEqual(readManifest().default_permissions);
});

it.each(pages)('%s names no variable that does not exist', page => {
  const known = new Set([...Object.keys(environmentVariables().shape), ...OTHER_VARIABLES]);
  const named = [...readPage(page).matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/gu)].map(([, name]) => name);
  expect(named.filter(name => !known.has(name ?? ''))).toEqual([]);
});

// One of the tests, one we do not read on purpose, two words of a verdict.
const OTHER_VARIABLES = ['FC_SEED', 'REDIS_URL', 'TEST_FAILED', 'EXECUTION_ERROR'];

it.each(pages)('%s links to nothing that does not exist', page => {
  const links = [...readPage(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/gu)].map(
    ([, link]) => link ?? '',
  );
  expect(links.filter(link => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter(name => name.endsWith('.md')).map(name => `${folder}/${name}`);
}
