import { alignTables } from './align-reference.ts';

const BEGIN = /<!-- Made by `npm run docs`[^\n]* -->\n/;
const END = '<!-- Made until here. -->\n';

/** The page with what stands between its two marks made anew; everything around them is written by hand. */
export function fillReference(page: string, made: string): string {
  const begin = BEGIN.exec(page);
  const from = (begin?.index ?? 0) + (begin?.[0].length ?? 0);
  const until = page.indexOf(END, from);
  if (begin === null || until < 0)
    throw new Error(
      'The page has lost its marks: <!-- Made by `npm run docs` ... --> and <!-- Made until here. -->',
    );
  return `${page.slice(0, from)}\n${alignTables(`${made.trim()}\n`)}\n${page.slice(until)}`;
}
