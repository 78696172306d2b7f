import { type SchemaOptions, type Static, type TObject, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';

/** One of these words, as a plain JSON Schema `enum`, which clients of the service expect. */
export function oneOf<const V extends string>(values: readonly V[], options: SchemaOptions = {}): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], ...options });
}

/** The schema or null. The default is null unless `options.default` is set. */
export function nullable<S extends TSchema>(schema: S, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], { default: null, ...options });
}

/** An object with some known members; all other members are kept as sent. */
export function openObject(options: SchemaOptions = {}): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });
}

/** Request headers: names as in RFC 9110, section 5.1, and values without control characters. */
export function headerFields(options: SchemaOptions = {}): TUnsafe<Record<string, string>> {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
    additionalProperties: { type: 'string', pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$' },
    default: {},
    ...options,
  });
}

/** The defaults of the members, each a copy; members without a default are undefined. */
export function readDefaults<S extends TObject>({ properties }: S): Static<S> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, structuredClone(schema.default)]),
  );
}
