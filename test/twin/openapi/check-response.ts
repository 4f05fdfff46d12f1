import type { Contract, Operation } from './contract.ts';

const ERROR = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };

/** What an answer of the twin's own has wrong, or null. Refusals the description is silent about are plain errors. */
export function checkResponse(
  contract: Contract,
  operation: Operation,
  status: number,
  body: unknown,
): string | null {
  if (status === 304) return null;
  const declared = Object.hasOwn(operation.responses, status);
  if (!declared && status < 400) return `the description knows no answer ${status} here`;
  const schema = operation.responses[status] ?? null;
  if (schema !== null) return contract.check(schema, body);
  if (status >= 400) return contract.check(ERROR, body);
  return body === undefined ? null : `answer ${status} has a body, the description knows none`;
}
