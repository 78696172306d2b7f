import { toJSONSchema, z } from 'zod';
import { ConfigurationError } from '../core/errors';
import type { Attributes } from '../core/value';

/** Options of an entity in addition to its fields. */
export interface EntityOptions {
  /** The fields that identify an instance; all scalar fields by default. */
  idFields?: readonly string[];
  description?: string;
  /** Maximum number of nodes; the instances with the most values are kept. */
  maxInstances?: number;
}

/** Options of a relation in addition to its target. */
export interface RelationOptions {
  /** `one` or `many`. Default `one`. */
  cardinality?: 'one' | 'many';
  /** An instance without this relation is incomplete. Default false. */
  isRequired?: boolean;
  /** The label of a reverse edge. */
  reverse?: string;
  /** The targets are catalogue entries: those referenced only by such relations are removed. */
  isClosedCatalog?: boolean;
  /** The targets contain only their id fields; their other fields are found elsewhere. */
  isReference?: boolean;
  description?: string;
}

/** Defines a class whose instances become nodes. `fields` may refer to other classes with `relation`. */
export function entity<Shape extends z.ZodRawShape>(name: string, fields: Shape, options: EntityOptions = {}) {
  const { idFields = [], description, maxInstances } = options;
  return z.object(fields).meta({
    title: name,
    graph_id_fields: [...idFields],
    ...(description === undefined ? {} : { description }),
    ...(maxInstances === undefined ? {} : { graph_max_instances: maxInstances }),
  });
}

/** Defines a class whose instances stay inside their owner, such as an address. */
export function component<Shape extends z.ZodRawShape>(name: string, fields: Shape, description?: string) {
  return z
    .object(fields)
    .meta({ title: name, is_entity: false, ...(description === undefined ? {} : { description }) });
}

/** Defines an edge with a label to an entity. A recursive class is referenced in a getter, as usual in zod. */
export function relation(label: string, target: z.ZodType, options: RelationOptions = {}): z.ZodType {
  const { cardinality = 'one', isRequired = false, reverse, isClosedCatalog, isReference, description } = options;
  const many = cardinality === 'many' ? z.array(target) : target;
  return (isRequired ? many.clone() : many.nullish()).meta({
    edge_label: label,
    ...(reverse === undefined ? {} : { reverse_label: reverse }),
    ...(isClosedCatalog === undefined ? {} : { reference_closed_catalog: isClosedCatalog }),
    ...(isReference === undefined ? {} : { graph_reference: isReference }),
    ...(description === undefined ? {} : { description }),
  });
}

/** A decimal number that keeps all digits. */
export const decimal = () => z.string().meta({ format: 'decimal' });

/** True for a zod 4 schema. */
export function isZodSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** The JSON Schema of a zod template with its graph members. Throws a ConfigurationError for types without a JSON form. */
export function toJsonSchema(schema: z.ZodType): Attributes {
  try {
    const payload = toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { type } = zodSchema._zod.def;
        if (type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
        if (type === 'bigint') jsonSchema.type = 'integer';
      },
    });
    return JSON.parse(JSON.stringify(payload)) as Attributes;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`The zod template has no JSON Schema: ${reason}`, { reason }, error);
  }
}
