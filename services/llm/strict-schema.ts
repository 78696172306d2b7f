type Schema = Record<string, unknown>;

/** What hosts of the OpenAI protocol are told about the form of an answer. */
export interface ResponseFormat {
  type: 'json_schema';
  json_schema: { name: string; schema: Schema; strict: boolean };
}

/** What strict mode takes beside the shape, as its makers document it; answers are checked against the rest afterwards. */
const keptAlways = ['type', 'title', 'description', 'enum', 'const', '$ref'];
const keptNumbers = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const kept = new Set([...keptAlways, ...keptNumbers, 'minItems', 'maxItems', 'format', 'pattern']);
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
/** Where these say what a value may be, leaving them out would ask for something else. */
const untold = ['not', 'if', 'dependentRequired', 'dependentSchemas', 'patternProperties', 'prefixItems', 'contains'];
const most = { members: 5_000, depth: 10, values: 1_000 };

/**
 * The format of an answer: in strict mode, which wants every member of an object required and no others, where the schema can
 * be said so (what may be absent may be null instead), and as it is without strict mode where it cannot.
 */
export function responseFormat({ name, schema }: { name: string; schema: Schema }): ResponseFormat {
  const strict = strictSchema(schema);
  const called = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer';
  return {
    type: 'json_schema',
    json_schema: { name: called, schema: strict ?? schema, strict: strict !== undefined },
  };
}

/** The schema by the rules of strict mode; undefined where they cannot say it, as for an object with any members. */
export function strictSchema(schema: Schema): Schema | undefined {
  const counts = { members: 0, values: 0 };
  try {
    const root = strictOf(schema, 0, counts);
    const definitions = Object.fromEntries(
      ['$defs', 'definitions']
        .filter((key) => isSchema(schema[key]))
        .map((key) => [
          key,
          Object.fromEntries(
            Object.entries(schema[key] as Schema).map(([one, given]) => [one, strictOf(given, 1, counts)]),
          ),
        ]),
    );
    const fits = root['type'] === 'object' && counts.members <= most.members && counts.values <= most.values;
    return fits ? { ...root, ...definitions } : undefined;
  } catch (error) {
    if (error instanceof Unsayable) return undefined;
    throw error;
  }
}

class Unsayable extends Error {}

function strictOf(given: unknown, depth: number, counts: { members: number; values: number }): Schema {
  if (!isSchema(given) || depth > most.depth || untold.some((key) => key in given)) throw new Unsayable();
  const inner = (one: unknown, deeper = 0) => strictOf(one, depth + deeper, counts);
  const union = (given['anyOf'] ?? given['oneOf']) as unknown[] | undefined;
  const all = given['allOf'] as unknown[] | undefined;
  if (all) {
    if (all.length !== 1 || union) throw new Unsayable();
    const { allOf: _one, ...rest } = given;
    return inner({ ...(all[0] as Schema), ...rest });
  }
  if (typeof given['$ref'] === 'string') return { $ref: given['$ref'] };
  const strict = Object.fromEntries(Object.entries(given).filter(([key, value]) => isKept(key, value)));
  if (union) return { ...strict, anyOf: union.map((one) => inner(one)) };
  counts.values += (given['enum'] as unknown[] | undefined)?.length ?? 0;
  const types = typesOf(given);
  if (types.includes('array') && given['items'] === undefined) throw new Unsayable();
  const items = types.includes('array') ? { items: inner(given['items'], 1) } : {};
  return {
    ...strict,
    type: types.length === 1 ? types[0] : types,
    ...items,
    ...(types.includes('object') ? members(given, (one) => inner(one, 1), counts) : {}),
  };
}

/** All members required, those that need not be there or null; no others. */
function members(given: Schema, inner: (one: unknown) => Schema, counts: { members: number }): Schema {
  const { properties, additionalProperties = false, required = [] } = given;
  if (!isSchema(properties) || additionalProperties !== false) throw new Unsayable();
  const names = Object.keys(properties);
  counts.members += names.length;
  const strict = names.map((name) => {
    const schema = inner(properties[name]);
    const isFree = !(required as string[]).includes(name) && !acceptsNull(schema);
    return [name, isFree ? { anyOf: [schema, { type: 'null' }] } : schema];
  });
  return { properties: Object.fromEntries(strict), required: names, additionalProperties: false };
}

function isKept(key: string, value: unknown): boolean {
  if (key === 'format') return formats.includes(String(value));
  // Looking ahead and back is beyond the expressions that hosts enforce.
  if (key === 'pattern') return !/\(\?/.test(String(value));
  return kept.has(key);
}

function typesOf({ type, enum: values, const: only, properties }: Schema): string[] {
  if (type !== undefined) return [type].flat() as string[];
  if (isSchema(properties)) return ['object'];
  const given = (values as unknown[] | undefined) ?? (only === undefined ? [] : [only]);
  const types = [...new Set(given.map((value) => (value === null ? 'null' : typeof value)))];
  if (types.length === 0 || types.includes('object')) throw new Unsayable();
  return types;
}

function acceptsNull({ type, anyOf, enum: values }: Schema): boolean {
  if (Array.isArray(values)) return values.includes(null);
  if ([type].flat().includes('null')) return true;
  return Array.isArray(anyOf) && anyOf.some((one) => acceptsNull(one as Schema));
}

/**
 * The value without the nulls that stand for members which are absent: those of members that the schema neither asks for nor
 * lets be null. A model gives them in strict mode, and often without.
 */
export function withoutAddedNulls(schema: Schema, value: unknown): unknown {
  return cleaned(schema, [schema], value);
}

function cleaned(root: Schema, schemas: readonly unknown[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const shapes = schemas.flatMap((schema) => shapesOf(root, schema, new Set()));
  if (Array.isArray(value)) {
    const items = shapes.flatMap((shape) => (isSchema(shape['items']) ? [shape['items']] : []));
    return value.map((one) => cleaned(root, items, one));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const holders = shapes.filter(({ properties }) => isSchema(properties) && Object.hasOwn(properties, name));
      const inner = holders.map(({ properties }) => (properties as Schema)[name]);
      const isAdded =
        one === null &&
        holders.length > 0 &&
        holders.every(({ required = [] }) => !(required as string[]).includes(name)) &&
        inner
          .flatMap((schema) => shapesOf(root, schema, new Set()))
          .every((shape) => isTold(shape) && !acceptsNull(shape));
      return isAdded ? [] : [[name, cleaned(root, inner, one)]];
    }),
  );
}

/** False for a schema that says nothing of the kind of a value. */
function isTold(shape: Schema): boolean {
  return ['type', 'enum', 'const', 'properties', 'items'].some((key) => key in shape);
}

/** The schemas that a schema stands for: behind references, and each member of a union. */
function shapesOf(root: Schema, schema: unknown, seen: Set<unknown>): Schema[] {
  if (!isSchema(schema) || seen.has(schema)) return [];
  seen.add(schema);
  if (typeof schema['$ref'] === 'string') return shapesOf(root, referred(root, schema['$ref']), seen);
  const unions = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] as unknown[] | undefined) ?? []);
  return unions.length > 0 ? unions.flatMap((one) => shapesOf(root, one, seen)) : [schema];
}

function referred(root: Schema, reference: string): unknown {
  let place: unknown = reference.startsWith('#') ? root : undefined;
  for (const part of reference.split('/').slice(1))
    place = isSchema(place) ? place[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return place;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
