import { type SchemaOptions, Type } from '@sinclair/typebox';

/** The schema of a text that is one of `values`. */
export function literals<const V extends string>(values: readonly V[], options: SchemaOptions = {}) {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
}
