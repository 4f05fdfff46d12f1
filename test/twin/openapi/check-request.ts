import type { Contract, Operation, Parameter } from './contract.ts';

export interface RawRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export type Value = string | number | boolean | readonly string[];

export interface CheckedRequest {
  /** Path and query parameters, as the types GitHub documents. */
  readonly parameters: Readonly<Record<string, Value>>;
  readonly problems: readonly string[];
}

/**
 * Holds a request against the contract. Stricter than GitHub in one thing: what it would quietly ignore, an unknown
 * query parameter or field of the body, is a problem too, for in a test it is a misspelt name.
 */
export function checkRequest(contract: Contract, operation: Operation, request: RawRequest): CheckedRequest {
  const parameters: Record<string, Value> = {};
  const problems: string[] = [];
  for (const parameter of operation.parameters) {
    const raw = parameter.in === 'path' ? request.path[parameter.name] : request.query.get(parameter.name);
    if (raw === undefined || raw === null) {
      if (parameter.required && parameter.in !== 'header') problems.push(`${parameter.name} is missing`);
      continue;
    }
    const value = convert(parameter, raw);
    const problem = contract.check(parameter.schema, value);
    if (problem === null) parameters[parameter.name] = value;
    else problems.push(`${parameter.name}: ${problem}`);
  }
  const known = new Set(operation.parameters.filter(each => each.in === 'query').map(each => each.name));
  for (const name of request.query.keys())
    if (!known.has(name)) problems.push(`${name} is no query parameter here`);
  problems.push(...checkBody(contract, operation, request.body));
  return { parameters, problems };
}

function convert(parameter: Parameter, raw: string): Value {
  const types = [parameter.schema.type].flat();
  if (types.includes('integer') && /^-?\d+$/.test(raw)) return Number(raw);
  if (types.includes('boolean') && /^(?:true|false)$/.test(raw)) return raw === 'true';
  return types.includes('array') ? raw.split(',') : raw;
}

function checkBody(contract: Contract, operation: Operation, body: unknown): readonly string[] {
  if (operation.body === null) return body === undefined ? [] : ['this route takes no body'];
  if (body === undefined) return operation.bodyRequired ? ['the body is missing'] : [];
  const problem = contract.check(operation.body, body);
  const names = fieldsOf(operation.body);
  const fields = typeof body === 'object' && body !== null && names.size > 0 ? Object.keys(body) : [];
  const unknown = fields.filter(each => !names.has(each)).map(each => `body has an unknown field ${each}`);
  return problem === null ? unknown : [`body: ${problem}`, ...unknown];
}

function fieldsOf(schema: Record<string, unknown>): ReadonlySet<string> {
  const inner = [schema.oneOf, schema.anyOf, schema.allOf].flat().filter(Boolean) as Record<
    string,
    unknown
  >[];
  const own = Object.keys((schema.properties as Record<string, unknown> | undefined) ?? {});
  return new Set([...own, ...inner.flatMap(each => [...fieldsOf(each)])]);
}
