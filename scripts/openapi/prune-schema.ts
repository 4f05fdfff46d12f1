export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type Schema = { readonly [key: string]: Json };

const CHECKED = new Set([
  'type',
  'enum',
  'const',
  'pattern',
  'required',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
const LISTS = new Set(['oneOf', 'anyOf', 'allOf']);
const INNER = new Set(['items', 'not', 'additionalProperties']);
const FORMATS = new Set(['date-time', 'uri', 'date']);

/** Keeps what a validator checks, as JSON Schema: no prose, no examples, `nullable` as a type. */
export function pruneSchema(schema: Schema, space: string): Schema {
  const pruned: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    const kept = keep(key, value, space);
    if (kept !== undefined) pruned[key] = kept;
  }
  return schema.nullable === true ? nullable(pruned) : pruned;
}

function keep(key: string, value: Json, space: string): Json | undefined {
  const prune = (inner: Json): Schema => pruneSchema(inner as Schema, space);
  if (key === '$ref') return reference(String(value), space);
  if (key === 'format') return FORMATS.has(String(value)) ? value : undefined;
  if (key === 'properties') return mapSchemas(value as Schema, space);
  if (LISTS.has(key)) return (value as readonly Json[]).map(prune);
  if (!INNER.has(key)) return CHECKED.has(key) ? value : undefined;
  if (typeof value === 'object') return prune(value);
  return value === true ? undefined : value;
}

function mapSchemas(schemas: Schema, space: string): Schema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, pruneSchema(schema as Schema, space)]),
  );
}

function reference(pointer: string, space: string): string {
  return pointer.replace('#/components/schemas/', `${space}#/definitions/`);
}

function nullable(schema: Record<string, Json>): Schema {
  if (typeof schema.type !== 'string') {
    return Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };
  }
  const values = schema.enum as readonly Json[] | undefined;
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(values === undefined || values.includes(null) ? {} : { enum: [...values, null] }),
  };
}
