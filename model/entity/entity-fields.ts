import type { DocumentClass } from './document-class';

/** The type of a field's value, derived from the tables of its class or from the schema of a flow. */
export type EntityType = 'string' | 'date' | 'money' | 'weight' | 'number' | 'integer' | 'boolean';

/** A field to extract from a document. */
export interface EntityField {
  name: string;
  description: string;
  examples: readonly string[];
  instructions?: string;
  /** The allowed values. */
  options?: readonly string[];
  type: EntityType;
  /** Nested fields: the value is an object, or with `isList` a list of objects. */
  fields?: readonly EntityField[];
  isList?: boolean;
}

const transformTypes = {
  make_date_uniform: 'date',
  currency_to_numeric: 'money',
  weight_to_numeric: 'weight',
  to_number: 'number',
} as const;
const columnTypes = { int: 'integer', long: 'integer', float: 'number', boolean: 'boolean' } as const;

/** The lookup key of a class name: `Purchase Order` becomes `purchase_order`. */
export function getClassKey(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
}

/** The fields of a class. Nested fields are lists, unless a target table combines several of them in one row. */
export function listClassFields(documentClass: DocumentClass): EntityField[] {
  const { types, groups } = readTargetTables(documentClass);
  const findType = (path: string) => types.get(path) ?? 'string';
  return documentClass.fields.map((field) => {
    const { fields, ...own } = field;
    const entityField = toEntityField(own, findType(field.name));
    if (!fields) return entityField;
    return {
      ...entityField,
      isList: !groups.some((group) => group.size > 1 && group.has(field.name)),
      fields: fields.map((part) => toEntityField(part, findType(`${field.name}.${part.name}`))),
    };
  });
}

type FieldFacts = Omit<DocumentClass['fields'][number], 'fields'>;

function toEntityField(field: FieldFacts, type: EntityType): EntityField {
  return {
    name: field.name,
    description: field.description,
    examples: field.examples,
    type,
    ...(field.extraction_instructions === undefined ? {} : { instructions: field.extraction_instructions }),
    ...(field.available_options === undefined ? {} : { options: field.available_options }),
  };
}

/** The type of each leaf by its path, and for each table the nested fields that its rows contain. */
function readTargetTables({ target_tables }: DocumentClass): { types: Map<string, EntityType>; groups: Set<string>[] } {
  const types = new Map<string, EntityType>();
  const groups = target_tables.map(({ columns }) => {
    const nested = new Set<string>();
    for (const { type, source } of columns) {
      const value = 'field' in source ? source : source.transform.arguments[0]?.value;
      if (typeof value !== 'object') continue;
      const columnType =
        'field' in source
          ? columnTypes[type as keyof typeof columnTypes]
          : transformTypes[source.transform.transform_name];
      if (columnType) types.set(value.field.join('.'), columnType);
      if (value.field.length > 1) nested.add(value.field[0] ?? '');
    }
    return nested;
  });
  return { types, groups };
}

const schemaTypes: Readonly<Record<string, EntityType>> = {
  string: 'string',
  str: 'string',
  int: 'integer',
  integer: 'integer',
  float: 'number',
  number: 'number',
  decimal: 'number',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
};

/**
 * Parses the schema of a flow: names with types (`string`, `int`, `float`, `boolean`, `date`), nested objects, or lists of one
 * of these. The paths of invalid members are added to `problems`.
 */
export function listSchemaFields(
  schema: Readonly<Record<string, unknown>>,
  problems: string[] = [],
  path = '',
): EntityField[] {
  return Object.entries(schema).flatMap(([name, input]) => {
    const value: unknown = Array.isArray(input) ? input[0] : input;
    const isList = Array.isArray(input);
    const common = { name, description: name.replaceAll('_', ' '), examples: [], ...(isList ? { isList } : {}) };
    if (typeof value === 'string' && Object.hasOwn(schemaTypes, value.toLowerCase()))
      return [{ ...common, type: schemaTypes[value.toLowerCase()] ?? 'string' }];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const fields = listSchemaFields(value as Record<string, unknown>, problems, `${path}/${name}`);
      return [{ ...common, type: 'string' as const, fields }];
    }
    problems.push(`${path}/${name}`);
    return [];
  });
}
