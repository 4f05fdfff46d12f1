import type { Json, Schema } from './prune-schema.ts';

type Named = Record<string, Json>;

/** Where GitHub's descriptions are wrong about GitHub. Each entry says what the service really does. */
export function correctDefinitions(definitions: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const corrected: Record<string, Schema> = { ...definitions };
  // The head repository of a deleted fork is null; the webhook schemas know it, these two do not.
  for (const name of ['pull-request', 'pull-request-simple']) {
    const schema = corrected[name];
    if (schema !== undefined)
      corrected[name] = change(schema, ['properties', 'head', 'properties', 'repo'], orNull);
  }
  // The events an app may subscribe to are listed out of date in places: `merge_group` is missing.
  for (const [name, schema] of Object.entries(corrected)) corrected[name] = openEventLists(schema) as Schema;
  return corrected;
}

export function correctRoutes(routes: Readonly<Named>): Named {
  // The list spells its installations out, and there an account is a user *and* an enterprise at once.
  const path = ['GET /app/installations', 'responses', '200', 'items'];
  return change(routes, path, () => ({ $ref: 'rest#/definitions/installation' })) as Named;
}

function orNull(schema: Json): Json {
  return { anyOf: [schema, { type: 'null' }] };
}

function change(value: Json, [key, ...rest]: readonly string[], edit: (value: Json) => Json): Schema {
  const schema = value as Schema;
  const inner = key === undefined ? undefined : schema[key];
  if (key === undefined || inner === undefined)
    throw new Error(`Nothing stands at ${key}: look at the correction again.`);
  return { ...schema, [key]: rest.length === 0 ? edit(inner) : change(inner, rest, edit) };
}

function openEventLists(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(each => openEventLists(each as Json));
  const schema = value as Schema;
  const words = schema.enum;
  if (Array.isArray(words) && words.includes('branch_protection_rule')) return { type: 'string' };
  return Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, openEventLists(each)]));
}
