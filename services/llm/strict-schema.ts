import { isObject } from '../../model/json';

type Schema = Record<string, unknown>;

/** The member `response_format` of requests in the OpenAI protocol. */
export interface ResponseFormat {
  type: 'json_schema';
  json_schema: { name: string; schema: Schema; strict: boolean };
}

/**
 * Keywords that strict mode supports besides the structure, according to its documentation. Answers are checked against the
 * others afterwards.
 */
const textKeywords = ['type', 'title', 'description', 'enum', 'const', '$ref'];
const numberKeywords = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const allowedKeywords = new Set([...textKeywords, ...numberKeywords, 'minItems', 'maxItems', 'format', 'pattern']);
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
/** Keywords that change which values are allowed. Dropping them would ask for something else, so they rule out strict mode. */
const unsupportedKeywords = [
  'not',
  'if',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'prefixItems',
  'contains',
];
const limits = { members: 5_000, depth: 10, values: 1_000 };

/**
 * The response format for a schema. Uses strict mode, which requires every member and allows no others, when the schema can be
 * expressed that way (optional members become nullable). Otherwise passes the schema unchanged, without strict mode.
 */
export function createResponseFormat({ name, schema }: { name: string; schema: Schema }): ResponseFormat {
  const strict = createStrictSchema(schema);
  const schemaName = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer';
  return {
    type: 'json_schema',
    json_schema: { name: schemaName, schema: strict ?? schema, strict: strict !== undefined },
  };
}

/**
 * The schema according to the rules of strict mode; undefined when they cannot express it, for example an object with any
 * members.
 */
export function createStrictSchema(schema: Schema): Schema | undefined {
  const counts = { members: 0, values: 0 };
  try {
    const root = buildStrict(schema, 0, counts);
    const definitions = mapMembers(pickDefinitions(schema), (group) =>
      mapMembers(group as Schema, (definition) => buildStrict(definition, 1, counts)),
    );
    const fits = root['type'] === 'object' && counts.members <= limits.members && counts.values <= limits.values;
    return fits ? { ...root, ...definitions } : undefined;
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return undefined;
    throw error;
  }
}

/** The members of a schema that hold definitions for references. */
function pickDefinitions(schema: Schema): Schema {
  return Object.fromEntries(
    ['$defs', 'definitions'].flatMap((key) => (isObject(schema[key]) ? [[key, schema[key]]] : [])),
  );
}

function mapMembers(members: Schema, change: (member: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}

class UnsupportedSchemaError extends Error {}

function buildStrict(input: unknown, depth: number, counts: { members: number; values: number }): Schema {
  if (!isObject(input) || depth > limits.depth || unsupportedKeywords.some((key) => key in input))
    throw new UnsupportedSchemaError();
  const inner = (value: unknown, deeper = 0) => buildStrict(value, depth + deeper, counts);
  const union = (input['anyOf'] ?? input['oneOf']) as unknown[] | undefined;
  const all = input['allOf'] as unknown[] | undefined;
  if (all) {
    if (all.length !== 1 || union) throw new UnsupportedSchemaError();
    const { allOf: _allOf, ...ownKeywords } = input;
    return inner({ ...(all[0] as Schema), ...ownKeywords });
  }
  if (typeof input['$ref'] === 'string') return { $ref: input['$ref'] };
  const strict = Object.fromEntries(Object.entries(input).filter(([key, value]) => isKept(key, value)));
  if (union) return { ...strict, anyOf: union.map((value) => inner(value)) };
  counts.values += (input['enum'] as unknown[] | undefined)?.length ?? 0;
  const types = listTypes(input);
  if (types.includes('array') && input['items'] === undefined) throw new UnsupportedSchemaError();
  const items = types.includes('array') ? { items: inner(input['items'], 1) } : {};
  return {
    ...strict,
    type: types.length === 1 ? types[0] : types,
    ...items,
    ...(types.includes('object') ? buildMembers(input, (value) => inner(value, 1), counts) : {}),
  };
}

/** Makes all members required, optional ones nullable, and forbids others. */
function buildMembers(input: Schema, inner: (value: unknown) => Schema, counts: { members: number }): Schema {
  const { properties, additionalProperties = false, required = [] } = input;
  if (!isObject(properties) || additionalProperties !== false) throw new UnsupportedSchemaError();
  const names = Object.keys(properties);
  counts.members += names.length;
  const strict = names.map((name) => {
    const schema = inner(properties[name]);
    const isOptional = !(required as string[]).includes(name) && !acceptsNull(schema);
    return [name, isOptional ? { anyOf: [schema, { type: 'null' }] } : schema];
  });
  return { properties: Object.fromEntries(strict), required: names, additionalProperties: false };
}

function isKept(key: string, value: unknown): boolean {
  if (key === 'format') return formats.includes(String(value));
  // The regular expressions that hosts enforce do not support lookahead and lookbehind.
  if (key === 'pattern') return !/\(\?/.test(String(value));
  return allowedKeywords.has(key);
}

function listTypes({ type, enum: values, const: constant, properties }: Schema): string[] {
  if (type !== undefined) return [type].flat() as string[];
  if (isObject(properties)) return ['object'];
  const allowedValues = (values as unknown[] | undefined) ?? (constant === undefined ? [] : [constant]);
  const types = [...new Set(allowedValues.map((value) => (value === null ? 'null' : typeof value)))];
  if (types.length === 0 || types.includes('object')) throw new UnsupportedSchemaError();
  return types;
}

function acceptsNull({ type, anyOf, enum: values }: Schema): boolean {
  if (Array.isArray(values)) return values.includes(null);
  if ([type].flat().includes('null')) return true;
  return Array.isArray(anyOf) && anyOf.some((value) => acceptsNull(value as Schema));
}

/**
 * Removes nulls in place of absent members: those of optional members whose schema does not allow null. Models return them
 * in strict mode, and often without it.
 */
export function omitAddedNulls(schema: Schema, value: unknown): unknown {
  return omitNulls(schema, [schema], value);
}

function omitNulls(root: Schema, schemas: readonly unknown[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const shapes = schemas.flatMap((schema) => listShapes(root, schema, new Set()));
  if (Array.isArray(value)) {
    const items = shapes.flatMap((shape) => (isObject(shape['items']) ? [shape['items']] : []));
    return value.map((value) => omitNulls(root, items, value));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const holders = shapes.filter(({ properties }) => isObject(properties) && Object.hasOwn(properties, name));
      const inner = holders.map(({ properties }) => (properties as Schema)[name]);
      const isAdded =
        item === null &&
        holders.length > 0 &&
        holders.every(({ required = [] }) => !(required as string[]).includes(name)) &&
        inner
          .flatMap((schema) => listShapes(root, schema, new Set()))
          .every((shape) => restrictsType(shape) && !acceptsNull(shape));
      return isAdded ? [] : [[name, omitNulls(root, inner, item)]];
    }),
  );
}

/** False for a schema that does not restrict the type of a value. */
function restrictsType(shape: Schema): boolean {
  return ['type', 'enum', 'const', 'properties', 'items'].some((key) => key in shape);
}

/** The concrete schemas of a schema: resolves references and lists the alternatives of unions. */
function listShapes(root: Schema, schema: unknown, seen: Set<unknown>): Schema[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  if (typeof schema['$ref'] === 'string') return listShapes(root, resolveReference(root, schema['$ref']), seen);
  const unions = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] as unknown[] | undefined) ?? []);
  return unions.length > 0 ? unions.flatMap((union) => listShapes(root, union, seen)) : [schema];
}

function resolveReference(root: Schema, reference: string): unknown {
  let place: unknown = reference.startsWith('#') ? root : undefined;
  for (const part of reference.split('/').slice(1))
    place = isObject(place) ? place[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return place;
}
