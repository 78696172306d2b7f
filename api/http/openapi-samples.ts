import type { Json } from './openapi-schema';
import { sampleValues } from './sample-values';

const maxDepth = 8;
/** Used when nothing describes the content of a text; optional members are then omitted. */
const unknownText = '…';

/**
 * An example value: every member that is not deprecated, with values by member name where there are some. Undefined if the
 * schema does not determine the value.
 */
export function getSample(schema: Json): unknown {
  return sample(schema, '', []);
}

function sample(schema: Json, name: string, within: readonly string[]): unknown {
  const { $id, type, examples, default: value, const: only } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(examples)) return examples[0];
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  const path = typeof $id === 'string' ? [...within, $id] : within;
  if (choices) return sampleChoice(choices, name, path);
  if (type === 'object') return sampleObject(schema, path);
  if (type === 'array') return sampleArray(schema, name, path);
  const sampleValue = sampleValues[name];
  if (describeKind(sampleValue) === getType(type) && fits(sampleValue, schema['pattern'])) return sampleValue;
  if (value !== undefined) return value;
  const [first] = (schema['enum'] as unknown[] | undefined) ?? [];
  return first ?? getScalar(schema, name);
}

function sampleChoice(choices: readonly Json[], name: string, path: readonly string[]): unknown {
  if (name in sampleValues) {
    const fitting = choices.find(({ type }) => getType(type) === describeKind(sampleValues[name]));
    if (fitting) return sample(fitting, name, path);
  }
  return sample(choices.find((choice) => choice['type'] !== 'null') ?? {}, name, path);
}

function sampleObject(
  { properties, patternProperties, additionalProperties, required }: Json,
  path: readonly string[],
): Json {
  const requiredNames = new Set((required as string[] | undefined) ?? []);
  const members = Object.entries((properties ?? {}) as Record<string, Json>).filter(
    ([name, member]) =>
      requiredNames.has(name) || (path.length < maxDepth && !member['deprecated'] && !mentions(member, path)),
  );
  const object: Json = {};
  for (const [name, member] of members) {
    const value = sample(member, name, path);
    if (requiredNames.has(name)) object[name] = value ?? null;
    else if (value !== undefined && value !== unknownText) object[name] = value;
  }
  const [anyMember] = Object.values((patternProperties ?? { additionalProperties }) as Record<string, unknown>);
  if (members.length > 0 || typeof anyMember !== 'object' || anyMember === null) return object;
  const value = sample(anyMember as Json, 'value', path);
  return value === undefined ? {} : { name: value };
}

function sampleArray({ items, minItems }: Json, name: string, path: readonly string[]): unknown[] {
  const item = (items ?? {}) as Json;
  if (mentions(item, path)) return [];
  const sampleValue = sampleValues[name];
  if (Array.isArray(sampleValue) && sampleValue.length === 0) return [];
  if (Array.isArray(sampleValue) && describeKind(sampleValue[0]) === getType(item['type'])) return sampleValue;
  const count = Math.max(1, Number(minItems ?? 1));
  const value = sample(item, name.replace(/s$/, ''), path);
  return value === undefined ? [] : Array.from({ length: count }, () => value);
}

function mentions({ $id, anyOf, items }: Json, path: readonly string[]): boolean {
  if (typeof $id === 'string' && path.includes($id)) return true;
  return [...((anyOf as Json[] | undefined) ?? []), ...(items ? [items as Json] : [])].some((part) =>
    mentions(part, path),
  );
}

function getScalar(
  { type, format, pattern, minimum, exclusiveMinimum, contentMediaType }: Json,
  name: string,
): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return Math.max(Number(minimum ?? 1), Number(exclusiveMinimum ?? 0) + 1, minimum === undefined ? 0 : 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      if (contentMediaType) return undefined;
      if (format === 'date-time' || /_(at|on|time|until|since|from)$/.test(name)) return sampleValues['created_on'];
      if (typeof pattern === 'string' && pattern.includes('[0-9a-f]{8}')) return sampleValues['flow_id'];
      return /(^|_)id$/.test(name) ? sampleValues['flow_id'] : unknownText;
    default:
      return undefined;
  }
}

function fits(value: unknown, pattern: unknown): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern).test(String(value));
}

function getType(type: unknown): unknown {
  return type === 'integer' ? 'number' : type;
}

function describeKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
