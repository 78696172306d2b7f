type Schema = Record<string, unknown>;

/** Formats the members of an object schema for people: one line each, nested ones indented, `*` for required ones. */
export function writeSchemaLines(schema: Schema, indent = '  '): string[] {
  const properties = Object.entries((schema['properties'] as Record<string, Schema> | undefined) ?? {});
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  if (properties.length === 0) return [`${indent}(no members)`];
  return properties.flatMap(([name, member]) => [
    `${indent}${name}${required.has(name) ? '*' : ''}: ${getType(member)}${describeBounds(member)}${describeDefault(member)}`,
    ...(member['description'] ? [`${indent}    ${member['description'] as string}`] : []),
    ...getNested(member).flatMap((inner) => writeSchemaLines(inner, `${indent}  `)),
  ]);
}

/** The type as text: `integer`, `list of string`, `simple | semantic`. */
export function getType(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices) return [...new Set(choices.map(getType))].join(' | ');
  if (schema['type'] === 'array') return `list of ${getType((schema['items'] as Schema | undefined) ?? {})}`;
  return typeof schema['type'] === 'string' ? schema['type'] : 'anything';
}

function describeBounds(schema: Schema): string {
  const words = [
    ['minimum', 'at least'],
    ['exclusiveMinimum', 'more than'],
    ['maximum', 'at most'],
    ['exclusiveMaximum', 'less than'],
    ['minItems', 'items at least'],
    ['maxItems', 'items at most'],
    ['maxLength', 'characters at most'],
    ['pattern', 'matching'],
  ] as const;
  const list = words.flatMap(([key, word]) =>
    schema[key] === undefined ? [] : [`${word} ${String(schema[key] as number | string)}`],
  );
  return list.length > 0 ? `, ${list.join(', ')}` : '';
}

function describeDefault(schema: Schema): string {
  return 'default' in schema ? ` (default ${JSON.stringify(schema['default'])})` : '';
}

/** The object schemas inside a member that are listed as well. */
function getNested(schema: Schema): Schema[] {
  const inner = [schema, schema['items'] as Schema | undefined, ...((schema['anyOf'] as Schema[] | undefined) ?? [])];
  return inner.flatMap((schema) => (schema?.['properties'] ? [schema] : []));
}
