import { codeFence } from '../markdown/code-fence.ts';

/** The most characters a verdict may take in an answer; a comment holds some three times as many. */
const MOST_CHARACTERS = 20_000;
const MOST_ITEMS = 50;
const MOST_TEXT = 500;

/** The one fenced JSON block of an answer. Lists and texts of an enormous verdict are cut, its fields never. */
export function renderVerdict(verdict: object): string {
  const whole = JSON.stringify(verdict, null, 2);
  const text = whole.length <= MOST_CHARACTERS ? whole : JSON.stringify(verdict, shorten, 2);
  return `\`\`\`json\n${text}\n\`\`\``;
}

function shorten(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && value.length > MOST_TEXT) return `${value.slice(0, MOST_TEXT)}\u2026`;
  if (Array.isArray(value) && value.length > MOST_ITEMS)
    return [...value.slice(0, MOST_ITEMS), `\u2026 ${value.length - MOST_ITEMS} more`];
  return value;
}

/** The exact diff of a dry run, folded. */
export function renderDryRun(diff: string): string {
  return `Dry run: nothing was changed.\n\n<details><summary>The exact diff</summary>\n\n${codeFence(diff, 'diff')}\n\n</details>`;
}
