/** An answer GitHub gives instead of what was asked for. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly unknown[] | undefined;

  constructor(
    status: number,
    message: string,
    more: { headers?: Readonly<Record<string, string>>; errors?: readonly unknown[] } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = more.headers ?? {};
    this.errors = more.errors;
  }
}

export const notFound = (): ApiError => new ApiError(404, 'Not Found');

export const notAccessible = (): ApiError => new ApiError(403, 'Resource not accessible by integration');

/** 422 as GitHub words it: `Validation Failed` and where. */
export function invalid(resource: string, field: string, message: string, code = 'custom'): ApiError {
  return new ApiError(422, 'Validation Failed', { errors: [{ resource, code, field, message }] });
}
