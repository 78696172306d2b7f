import type { TSchema } from '@sinclair/typebox';
import { type ColumnFacts, commonColumns } from '../../model/flow/columns';
import type { OperatorDefinition } from '../../model/flow/operator';
import type { OperatorMetadata } from '../../model/flow/wire-operators';

type Property = OperatorMetadata['features'][string];

const filterable = new Set(['string', 'int32', 'int64', 'double', 'boolean', 'timestamp']);

/** An operator in the flat form for older clients, plus the full JSON Schema of its configuration. */
export function buildMetadata(operator: OperatorDefinition): OperatorMetadata {
  const required = new Set<string>(operator.config.required);
  return {
    label: operator.label,
    category: operator.category,
    description: operator.summary,
    scope: operator.scope,
    features: Object.fromEntries(operator.writes.map((column) => [column, buildFeature(getFacts(operator, column))])),
    required_features: [...operator.reads],
    attributes: Object.fromEntries(
      Object.entries(operator.config.properties).map(([name, schema]) => [
        name,
        buildAttribute(schema, required.has(name)),
      ]),
    ),
    config_schema: JSON.parse(JSON.stringify(operator.config)) as Record<string, unknown>,
  };
}

/** Facts about a column from the operator itself, else the common ones. An unknown column is JSON. */
function getFacts(operator: OperatorDefinition, column: string): ColumnFacts {
  return operator.columns?.[column] ?? commonColumns[column] ?? { type: 'json', description: '', indexed: false };
}

function buildFeature({ type, description, indexed }: ColumnFacts): Property {
  return {
    type,
    description,
    required: false,
    default: null,
    available_for_filter: filterable.has(type),
    available_for_vector_db: indexed,
  };
}

function buildAttribute(schema: TSchema, required: boolean): Property {
  return {
    type: getAttributeType(schema),
    description: schema.description ?? '',
    required,
    default: (schema['default'] as unknown) ?? null,
    available_for_filter: null,
    available_for_vector_db: null,
  };
}

function getAttributeType(schema: Record<string, unknown>): string {
  const choices = schema['anyOf'] as Record<string, unknown>[] | undefined;
  if (schema['enum'] || choices?.every((choice) => 'const' in choice)) return 'enum';
  const types = new Set(
    choices ? choices.map(getAttributeType).filter((type) => type !== 'null') : [getJsonType(schema)],
  );
  const [only] = types;
  return types.size === 1 && only ? only : 'json';
}

function getJsonType({ type, const: constant }: Record<string, unknown>): string {
  switch (type) {
    case 'integer':
      return 'int32';
    case 'number':
      return 'double';
    case 'array':
      return 'list';
    case 'object':
      return 'json';
    default:
      if (typeof type === 'string') return type;
      return typeof constant === 'string' ? 'enum' : 'json';
  }
}
