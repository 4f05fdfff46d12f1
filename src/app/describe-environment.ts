import { environmentVariables } from './environment-variables.ts';

/** The table of all variables for the docs, in Markdown. Made from the schema that checks them. */
export function describeEnvironment(): string {
  const rows = Object.entries(environmentVariables().shape).map(([name, schema]) => {
    const { description = '', fallback } = schema.meta() ?? {};
    const { data } = schema.safeParse(undefined);
    const value = fallback ?? (data === undefined || data === false ? '' : `\`${data}\``);
    return `| \`${name}\` | ${value} | ${description} |`;
  });
  return ['| variable | default | what it is |', '| --- | --- | --- |', ...rows, ''].join('\n');
}
