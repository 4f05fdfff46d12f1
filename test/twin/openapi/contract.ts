import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

type Schema = Record<string, unknown>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly bodyRequired: boolean;
  readonly responses: Readonly<Record<string, Schema | null>>;
}

interface Extract {
  readonly routes: Readonly<Record<string, Operation>>;
  readonly payloads: Readonly<Record<string, Schema>>;
  readonly rest: Readonly<Record<string, Schema>>;
  readonly events: Readonly<Record<string, Schema>>;
}

/** GitHub's published schemas, as far as the twin needs them, each compiled when it is first used. */
export interface Contract {
  readonly operation: (route: string) => Operation | undefined;
  /** What is wrong with the value, or nothing. */
  readonly check: (schema: Schema, value: unknown) => string | null;
  readonly checkPayload: (event: string, action: string | null, payload: unknown) => string | null;
}

let shared: Contract | undefined;

/** One for the process: a compiled schema has no state, and compiling is the dear part. */
export function loadContract(): Contract {
  shared ??= createContract();
  return shared;
}

function createContract(): Contract {
  const file = new URL('./fixtures/github.json', import.meta.url);
  const extract = JSON.parse(readFileSync(file, 'utf8')) as Extract;
  const ajv = new Ajv({
    strict: false,
    inlineRefs: false,
    logger: false,
    validateSchema: false, // they are GitHub's
    code: { optimize: false }, // most are used a few times only
  });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat('uri', text => URL.canParse(text));
  ajv.addSchema({ $id: 'rest', definitions: extract.rest });
  ajv.addSchema({ $id: 'events', definitions: extract.events });
  const compiled = new Map<Schema, ValidateFunction>();
  const check = (schema: Schema, value: unknown): string | null => {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      validate = ajv.compile(schema);
      compiled.set(schema, validate);
    }
    return validate(value) ? null : explain(validate.errors ?? []);
  };
  return {
    operation: route => extract.routes[route],
    check,
    checkPayload: (event, action, payload) => {
      const name = action === null ? event : `${event}.${action}`;
      const schema = extract.payloads[name];
      return schema === undefined
        ? `no schema was extracted for the webhook ${name}`
        : check(schema, payload);
    },
  };
}

function explain(errors: readonly ErrorObject[]): string {
  const lines = errors.map(
    each => `${each.instancePath || 'value'} ${each.message} ${JSON.stringify(each.params)}`,
  );
  return [...new Set(lines)].slice(0, 6).join('; ');
}
