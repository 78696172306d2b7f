import { Kind, type Static, type TSchema } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { AppError, type ErrorCode } from './errors';
import { type Problem, listErrorProblems } from './schema-errors';

/**
 * All violations are listed for values with up to this many members; for larger ones only the first, because there may be a
 * million.
 */
const maxListed = 5_000;

/**
 * Compiles each schema once. `allErrors` continues after the first violation. Skips two steps that would double the time of a first
 * check: the validation of the schema, which only foreign ones need, and the optimization of the code, which gains little.
 */
function createCompiler(allErrors: boolean, coerceTypes: false | 'array') {
  const ajv = addFormats(
    new Ajv({
      allErrors,
      verbose: true,
      strict: false,
      useDefaults: true,
      coerceTypes,
      allowUnionTypes: true,
      validateSchema: false,
      code: { optimize: false },
    }),
  );
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema: TSchema): ValidateFunction => {
    const compiledCheck = compiled.get(schema);
    if (compiledCheck) return compiledCheck;
    const plain = omitIds(schema);
    if (!(Kind in schema) && !ajv.validateSchema(plain)) throw new Error(`schema is invalid: ${ajv.errorsText()}`);
    const validate = ajv.compile(plain);
    compiled.set(schema, validate);
    return validate;
  };
}

/** Problems that the message names; its `problems` list them all. */
const maxProblemsShown = 20;
const strict = { first: createCompiler(false, false), all: createCompiler(true, false) };
const coercing = { first: createCompiler(false, 'array'), all: createCompiler(true, 'array') };

/**
 * All violations, or only the first for a value with more than 5,000 members; empty for a valid value. Fills in the schema's
 * defaults.
 */
export function listProblems(schema: TSchema, value: unknown, options: { coerce?: boolean } = {}): Problem[] {
  const { first, all } = options.coerce ? coercing : strict;
  const quick = first(schema);
  if (quick(value)) return [];
  if (countMembers(value, maxListed) >= maxListed) return listErrorProblems(quick.errors ?? []);
  const thorough = all(schema);
  return thorough(value) ? [] : listErrorProblems(thorough.errors ?? []);
}

/** Counts members of objects and lists at all depths; stops at `limit`. */
function countMembers(value: unknown, limit: number): number {
  const pending: unknown[] = [value];
  let count = 0;
  while (pending.length > 0 && count < limit) {
    const container = pending.pop();
    if (typeof container !== 'object' || container === null) continue;
    for (const name in container) {
      count += 1;
      if (count >= limit) break;
      pending.push((container as Record<string, unknown>)[name]);
    }
  }
  return count;
}

/**
 * Returns the typed value, or throws an AppError of `code` that lists every problem. `subject` begins the message: `The request
 * body`.
 */
export function parse<S extends TSchema>(
  schema: S,
  value: unknown,
  subject: string,
  code: ErrorCode = 'VALIDATION_ERROR',
): Static<S> {
  const problems = listProblems(schema, value);
  if (problems.length === 0) return value;
  const list = problems.slice(0, maxProblemsShown).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  throw new AppError(code, `${subject} is invalid: ${list.join('; ')}.`, {
    problems: problems.map(({ pointer, message }) => ({
      message: `${pointer || '/'} ${message}`,
      target: { type: 'field' as const, name: pointer },
    })),
  });
}

/** Sub-schemas have an `$id` for the OpenAPI document; ajv does not register the same id twice. */
function omitIds(schema: unknown): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === '$id' && typeof value === 'string' ? undefined : value)),
  ) as object;
}
