/** The keywords of JSON Schema that are shown. */
interface Schema extends Partial<Record<BoundKeyword, number | string>> {
  type?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

const boundWords = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
  ['maxLength', 'characters at most'],
  ['pattern', 'matching'],
] as const;
type BoundKeyword = (typeof boundWords)[number][0];

/** Formats the members of an object schema for people: one line each, nested ones indented, `*` for required ones. */
export function writeSchemaLines(schema: Schema, indent = '  '): string[] {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  if (properties.length === 0) return [`${indent}(no members)`];
  return properties.flatMap(([name, member]) => [
    `${indent}${name}${required.has(name) ? '*' : ''}: ${getType(member)}${describeBounds(member)}${describeDefault(member)}`,
    ...(member.description ? [`${indent}    ${member.description}`] : []),
    ...getNested(member).flatMap((inner) => writeSchemaLines(inner, `${indent}  `)),
  ]);
}

/** The type as text: `integer`, `list of string`, `simple | semantic`. */
export function getType(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(getType))].join(' | ');
  if (schema.type === 'array') return `list of ${getType(schema.items ?? {})}`;
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

function describeBounds(schema: Schema): string {
  const bounds = boundWords.flatMap(([keyword, words]) => {
    const bound = schema[keyword];
    return bound === undefined ? [] : [`${words} ${bound}`];
  });
  return bounds.map((bound) => `, ${bound}`).join('');
}

function describeDefault(schema: Schema): string {
  return 'default' in schema ? ` (default ${JSON.stringify(schema.default)})` : '';
}

/** The object schemas inside a member that are listed as well. */
function getNested(schema: Schema): Schema[] {
  return [schema, schema.items, ...(schema.anyOf ?? [])].flatMap((inner) => (inner?.properties ? [inner] : []));
}
