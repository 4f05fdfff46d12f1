import type { RequestOptions } from '../../src/cli/request-options.ts';
import { findCommand } from '../../src/commands/registry.ts';

/** The comment a maintainer would write for these options, one labelled line a field. */
export function composeComment(options: RequestOptions): string {
  const given = options as Readonly<Record<string, string | readonly string[] | undefined>>;
  const lines = (findCommand('extract-section')?.fields ?? []).flatMap(({ key, label }) => {
    const values = given[key] === undefined ? [] : [given[key]].flat();
    return values.map(value => `${label}: ${value}`);
  });
  return ['/extract-section', ...lines].join('\n');
}
