import { isObject } from '../../json';
import { parseBoolean, parseNumber } from './lax-values';

/** Position in a request: member names, array indexes, and the tags of selected alternatives. */
export type Location = readonly (string | number)[];

/** One validation problem, in the form that clients of the service expect. */
export interface RequestProblem {
  type: string;
  loc: Location;
  msg: string;
}

/** The subset of JSON Schema that request schemas use. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: readonly string[];
  anyOf?: readonly Schema[];
  discriminator?: { propertyName: string };
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: { pattern: string };
  items?: Schema;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}
interface Check {
  problems: RequestProblem[];
}

/**
 * Validates a value and converts it to the schema: fills in defaults, parses numbers and booleans from text, drops unknown
 * members. Problems have the types and texts that clients of the service know, in schema order. The value is valid only if
 * there are no problems.
 */
export function checkValue(
  schema: object,
  value: unknown,
  loc: Location,
): { value: unknown; problems: RequestProblem[] } {
  const check: Check = { problems: [] };
  return { value: checkAgainst(schema, value, loc, check), problems: check.problems };
}

function checkAgainst(schema: Schema, value: unknown, loc: Location, check: Check): unknown {
  if (schema.anyOf) return readAlternatives(schema, value, loc, check);
  if (schema.enum) return readWord(schema.enum, value, loc, check);
  if ('const' in schema) return readWord([String(schema.const)], value, loc, check);
  switch (schema.type) {
    case 'object':
      return readObject(schema, value, loc, check);
    case 'array':
      return readArray(schema, value, loc, check);
    case 'string':
      return readText(schema, value, loc, check);
    case 'boolean':
      return readBoolean(value, loc, check);
    case 'integer':
    case 'number':
      return readNumber(schema, value, loc, check);
    default:
      return value;
  }
}

function report({ problems }: Check, type: string, loc: Location, msg: string): undefined {
  problems.push({ type, loc, msg });
  return undefined;
}

function readAlternatives(schema: Schema, value: unknown, loc: Location, check: Check): unknown {
  const alternatives = schema.anyOf ?? [];
  if (schema.discriminator)
    return checkTagged({ alternatives, name: schema.discriminator.propertyName }, value, loc, check);
  if (value === null && alternatives.some(({ type }) => type === 'null')) return null;
  const [first] = alternatives.filter(({ type }) => type !== 'null');
  return first ? checkAgainst(first, value, loc, check) : value;
}

function checkTagged(
  { alternatives, name }: { alternatives: readonly Schema[]; name: string },
  value: unknown,
  loc: Location,
  check: Check,
): unknown {
  if (!isObject(value)) return reportNotAnObject(loc, check);
  const tag = Object.hasOwn(value, name) ? value[name] : undefined;
  if (tag === undefined)
    return report(check, 'union_tag_not_found', loc, `Unable to extract tag using discriminator '${name}'`);
  const getTag = (schema: Schema) => schema.properties?.[name]?.const;
  const alternative = alternatives.find((schema) => getTag(schema) === tag);
  const input = typeof tag === 'string' ? tag : JSON.stringify(tag);
  if (alternative) return checkAgainst(alternative, value, [...loc, input], check);
  const expected = alternatives.map((schema) => `'${String(getTag(schema))}'`).join(', ');
  return report(
    check,
    'union_tag_invalid',
    loc,
    `Input tag '${input}' found using '${name}' does not match any of the expected tags: ${expected}`,
  );
}

function readWord(words: readonly string[], value: unknown, loc: Location, check: Check): unknown {
  if (typeof value === 'string' && words.includes(value)) return value;
  return report(check, 'enum', loc, `Input should be ${joinAlternatives(words)}`);
}

function joinAlternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

function readObject(schema: Schema, value: unknown, loc: Location, check: Check): unknown {
  if (!isObject(value)) {
    if (schema.properties) return reportNotAnObject(loc, check);
    return report(check, 'dict_type', loc, 'Input should be a valid dictionary');
  }
  const result: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const input = Object.hasOwn(value, name) ? value[name] : undefined;
    if (input !== undefined) result[name] = checkAgainst(property, input, [...loc, name], check);
    else if (property.default !== undefined) result[name] = fillDefaults(property);
    else if (schema.required?.includes(name)) report(check, 'missing', [...loc, name], 'Field required');
  }
  if (!schema.additionalProperties) return result;
  const extraSchema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  for (const [name, input] of Object.entries(value)) {
    if (schema.properties && Object.hasOwn(schema.properties, name)) continue;
    if (schema.propertyNames && !matches(schema.propertyNames.pattern, name, [...loc, name, '[key]'], check)) continue;
    const member = checkAgainst(extraSchema, input, [...loc, name], check);
    // Plain assignment to a name such as `__proto__` would change the prototype instead of adding a member.
    Object.defineProperty(result, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

/** The default. An empty object is filled with the defaults of its members. */
function fillDefaults(schema: Schema): unknown {
  if (!schema.properties || !isObject(schema.default)) return structuredClone(schema.default);
  return checkAgainst(schema, schema.default, [], { problems: [] });
}

function readArray(schema: Schema, value: unknown, loc: Location, check: Check): unknown {
  if (!Array.isArray(value)) return report(check, 'list_type', loc, 'Input should be a valid list');
  const { minItems = 0, maxItems = Infinity } = schema;
  const countItems = (count: number) => (count === 1 ? '1 item' : `${count} items`);
  if (value.length < minItems)
    return report(
      check,
      'too_short',
      loc,
      `List should have at least ${countItems(minItems)} after validation, not ${value.length}`,
    );
  if (value.length > maxItems)
    return report(
      check,
      'too_long',
      loc,
      `List should have at most ${countItems(maxItems)} after validation, not ${value.length}`,
    );
  return value.map((item, index) => checkAgainst(schema.items ?? {}, item, [...loc, index], check));
}

function matches(pattern: string, text: string, loc: Location, check: Check): boolean {
  const isMatch = new RegExp(pattern, 'u').test(text);
  if (!isMatch) report(check, 'string_pattern_mismatch', loc, `String should match pattern '${pattern}'`);
  return isMatch;
}

function readText({ format, pattern, minLength = 0 }: Schema, value: unknown, loc: Location, check: Check): unknown {
  if (typeof value !== 'string') return report(check, 'string_type', loc, 'Input should be a valid string');
  if (value.length < minLength) {
    const minimum = minLength === 1 ? '1 character' : `${minLength} characters`;
    return report(check, 'string_too_short', loc, `String should have at least ${minimum}`);
  }
  if (pattern !== undefined && !matches(pattern, value, loc, check)) return undefined;
  if (format !== 'uri') return value;
  if (!URL.canParse(value)) {
    return report(check, 'url_parsing', loc, 'Input should be a valid URL, relative URL without a base');
  }
  if (!/^https?:$/.test(new URL(value).protocol))
    return report(check, 'url_scheme', loc, "URL scheme should be 'http' or 'https'");
  return value.trim();
}

function readBoolean(value: unknown, loc: Location, check: Check): unknown {
  if (typeof value === 'boolean') return value;
  const read = parseBoolean(value);
  if (read !== undefined) return read;
  if (typeof value !== 'string' && typeof value !== 'number')
    return report(check, 'bool_type', loc, 'Input should be a valid boolean');
  return report(check, 'bool_parsing', loc, 'Input should be a valid boolean, unable to interpret input');
}

function readNumber(schema: Schema, value: unknown, loc: Location, check: Check): unknown {
  const isInteger = schema.type === 'integer';
  const kind = isInteger ? 'int' : 'float';
  const noun = isInteger ? 'integer' : 'number';
  if (typeof value !== 'number' && typeof value !== 'string')
    return report(check, `${kind}_type`, loc, `Input should be a valid ${noun}`);
  const number = parseNumber(value);
  if (number === undefined)
    return report(
      check,
      `${kind}_parsing`,
      loc,
      `Input should be a valid ${noun}, unable to parse string as ${isInteger ? 'an integer' : 'a number'}`,
    );
  if (isInteger && !Number.isInteger(number))
    return report(check, 'int_from_float', loc, 'Input should be a valid integer, got a number with a fractional part');
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  if (number < minimum)
    return report(check, 'greater_than_equal', loc, `Input should be greater than or equal to ${minimum}`);
  if (number > maximum)
    return report(check, 'less_than_equal', loc, `Input should be less than or equal to ${maximum}`);
  if (number <= exclusiveMinimum)
    return report(check, 'greater_than', loc, `Input should be greater than ${exclusiveMinimum}`);
  // 64-bit integers lose precision in JavaScript; no page number or count is that large.
  return isInteger ? Math.max(-Number.MAX_SAFE_INTEGER, Math.min(number, Number.MAX_SAFE_INTEGER)) : number;
}

function reportNotAnObject(loc: Location, check: Check): undefined {
  return report(
    check,
    'model_attributes_type',
    loc,
    'Input should be a valid dictionary or object to extract fields from',
  );
}
