import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { TSchema, Static } from '@sinclair/typebox';
import { AppError, type ErrorCode } from './errors';
import { type Problem, problemsOfErrors } from './schema-errors';

const ajv = addFormats(
  new Ajv({ allErrors: true, strict: false, useDefaults: true, coerceTypes: false, allowUnionTypes: true }),
);
const coercing = addFormats(
  new Ajv({ allErrors: true, strict: false, useDefaults: true, coerceTypes: 'array', allowUnionTypes: true }),
);
const compiled = new WeakMap<object, ValidateFunction>();
const compiledCoercing = new WeakMap<object, ValidateFunction>();

/** Every violation; fills in the schema's defaults. Empty when the value is right. */
export function problemsOf(schema: TSchema, value: unknown, options: { coerce?: boolean } = {}): Problem[] {
  const cache = options.coerce ? compiledCoercing : compiled;
  let validate = cache.get(schema);
  if (!validate) {
    validate = (options.coerce ? coercing : ajv).compile(withoutIds(schema));
    cache.set(schema, validate);
  }
  return validate(value) ? [] : problemsOfErrors(validate.errors ?? []);
}

/** The value, typed, or an AppError of `code` that lists every problem. `what` begins the message: `The request body`. */
export function parse<S extends TSchema>(
  schema: S,
  value: unknown,
  what: string,
  code: ErrorCode = 'VALIDATION_ERROR',
): Static<S> {
  const problems = problemsOf(schema, value);
  if (problems.length === 0) return value;
  const list = problems.slice(0, 20).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  throw new AppError(code, `${what} is invalid: ${list.join('; ')}.`, {
    problems: problems.map(({ pointer, message }) => ({
      message: `${pointer || '/'} ${message}`,
      target: { type: 'field' as const, name: pointer },
    })),
  });
}

/** Sub-schemas carry an `$id` for the OpenAPI document; ajv would register each of them once only. */
function withoutIds(schema: unknown): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === '$id' && typeof value === 'string' ? undefined : value)),
  ) as object;
}
