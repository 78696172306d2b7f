import type { TSchema } from '@sinclair/typebox';

export type Json = Record<string, unknown>;

/** Writes a schema as generators of clients expect it; parts with an `$id` become references to components. */
export type SchemaWriter = (schema: unknown) => unknown;

/**
 * Puts every part with an `$id` into `components`, makes members with a default optional, and spells JSON Schema the way that
 * generators of clients understand: choices as `enum`, maps as `additionalProperties`, and unions of objects that differ in a
 * constant member as `oneOf` with a `discriminator`. Schemas in `replaced` are written instead of those with the same `$id`.
 */
export function createSchemaWriter(
  components: Map<string, unknown>,
  replaced?: ReadonlyMap<string, TSchema>,
): SchemaWriter {
  const write = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(write);
    if (typeof schema !== 'object' || schema === null) return schema;
    const other = replaced?.get(String((schema as Json)['$id']));
    if (other && other !== schema) return write(other);
    const { $id, default: value, ...members } = schema as Json;
    const defaults = value === undefined ? {} : { default: value };
    if (typeof $id !== 'string') return { ...writeMembers(members, write), ...defaults };
    if (!components.has($id)) {
      components.set($id, {});
      components.set($id, writeMembers(members, write));
    }
    return { $ref: formatReference($id), ...defaults };
  };

  return write;
}

function writeMembers(schema: Json, write: SchemaWriter): Json {
  // The members of an object may have any name, also that of a keyword.
  const { anyOf, patternProperties, properties, ...others } = schema;
  const required = findRequired(schema);
  if (required && required.length > 0) others['required'] = required;
  else if (required) delete others['required'];
  const written = Object.fromEntries(Object.entries(others).map(([key, part]) => [key, write(part)]));
  if (properties) written['properties'] = mapValues(omitReadOnly(properties as Record<string, Json>), write);
  if (patternProperties) Object.assign(written, writeMap(patternProperties as Json, write));
  if (Array.isArray(anyOf)) Object.assign(written, writeChoices(anyOf as Json[], write));
  return written;
}

/** The members that requests may set: a client may send back the others of a reply, but need not know them. */
function omitReadOnly(properties: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(properties).filter(([, member]) => member['readOnly'] !== true));
}

function writeMap(patternProperties: Json, write: SchemaWriter): Json {
  const [[pattern, value] = [], ...more] = Object.entries(patternProperties);
  if (pattern === undefined || more.length > 0) return { patternProperties: mapValues(patternProperties, write) };
  return {
    additionalProperties: write(value),
    ...(pattern === '^(.*)$' ? {} : { propertyNames: { pattern } }),
  };
}

function writeChoices(choices: readonly Json[], write: SchemaWriter): Json {
  const values = choices.filter((choice) => 'const' in choice && choice['description'] === undefined);
  const others = choices.filter((choice) => !values.includes(choice));
  if (others.length === 0) return buildEnum(values);
  const property = findDiscriminator(choices);
  if (property !== undefined) {
    const mapping = choices.map(({ $id, properties }) => [
      (properties as Record<string, Json>)[property]?.['const'],
      formatReference(String($id)),
    ]);
    return {
      oneOf: choices.map(write),
      discriminator: { propertyName: property, mapping: Object.fromEntries(mapping) as Json },
    };
  }
  if (areExclusive(choices)) return { oneOf: choices.map(write) };
  const written = others.map(write);
  return { anyOf: values.length > 1 ? [buildEnum(values), ...written] : choices.map(write) };
}

/** The required members without default; undefined if this is not an object schema. */
export function findRequired({
  required,
  properties,
}: {
  required?: unknown;
  properties?: unknown;
}): string[] | undefined {
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return undefined;
  const members = properties as Record<string, { default?: unknown; const?: unknown }>;
  return (required as string[]).filter(
    (name) => members[name]?.default === undefined || members[name].const !== undefined,
  );
}

function buildEnum(choices: readonly Json[]): Json {
  const values = choices.map((choice) => choice['const']);
  const types = [...new Set(choices.map(({ type }) => type))];
  const names = findConstantNames(values);
  return {
    ...(types.length === 1 ? { type: types[0] } : {}),
    enum: values,
    ...(names ? { 'x-enum-varnames': names } : {}),
  };
}

/** Names for the constants of generated code, where values differ in the case of their letters only. */
function findConstantNames(values: readonly unknown[]): string[] | undefined {
  const upper = values.map((value) => String(value).toUpperCase());
  if (new Set(upper).size === upper.length) return undefined;
  return upper.map((name, index) => {
    const before = upper.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
}

/** The member that is required and constant in each of these components, with another value in each. */
function findDiscriminator(choices: readonly Json[]): string | undefined {
  if (choices.length < 2 || !choices.every(({ $id, properties }) => typeof $id === 'string' && properties))
    return undefined;
  const findConstant = (choice: Json, name: string) =>
    findRequired(choice)?.includes(name) ? (choice['properties'] as Record<string, Json>)[name]?.['const'] : undefined;
  return Object.keys(choices[0]?.['properties'] as Json).find((name) => {
    const values = choices.map((choice) => findConstant(choice, name));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
}

/** True if all are closed objects that each require a member no other object has. */
function areExclusive(choices: readonly Json[]): boolean {
  const isClosed = ({ properties, additionalProperties }: Json) =>
    properties !== undefined && additionalProperties === false;
  if (!choices.every(isClosed)) return false;
  const isOwn = (name: string, owner: Json) =>
    choices.every((other) => other === owner || !(name in (other['properties'] as Json)));
  return choices.every((choice) => findRequired(choice)?.some((name) => isOwn(name, choice)));
}

function formatReference(id: string): string {
  return `#/components/schemas/${id}`;
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
