import type { Json, Schema } from './prune-schema.ts';

const WORTH_SHARING = 200;

/**
 * The webhook schemas spell the same user, repository and pull request out dozens of times. A subschema that
 * stands more than once gets a definition of its own, and a reference where it stood.
 */
export function shareRepeated(
  definitions: Readonly<Record<string, Schema>>,
  space: string,
): Record<string, Schema> {
  const counts = new Map<string, number>();
  for (const schema of Object.values(definitions)) count(schema, counts);
  const names = new Map<string, string>();
  const shared: Record<string, Schema> = {};
  const rewrite = (value: Json, isRoot: boolean): Json => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(each => rewrite(each as Json, false));
    const text = JSON.stringify(value);
    const inside = (): Schema =>
      Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewrite(each as Json, false)]));
    if (isRoot || !isSchema(value as Schema) || (counts.get(text) ?? 0) < 2) return inside();
    const known = names.get(text);
    if (known !== undefined) return { $ref: `${space}#/definitions/${known}` };
    const name = `shared-${names.size + 1}`;
    names.set(text, name);
    shared[name] = inside();
    return { $ref: `${space}#/definitions/${name}` };
  };
  const rewritten = Object.entries(definitions).map(([name, schema]) => [
    name,
    rewrite(schema, true) as Schema,
  ]);
  return { ...Object.fromEntries(rewritten), ...shared };
}

function count(value: Json, counts: Map<string, number>): void {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value) && isSchema(value as Schema)) {
    const text = JSON.stringify(value);
    if (text.length >= WORTH_SHARING) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  for (const each of Object.values(value)) count(each as Json, counts);
}

function isSchema(value: Schema): boolean {
  return (
    ['string', 'object'].includes(typeof value.type) &&
    (typeof value.type === 'string' || Array.isArray(value.type))
  );
}
