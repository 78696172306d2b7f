import { toJSONSchema, z } from 'zod';
import { ConfigurationError } from '../core/errors';
import type { Attributes } from '../core/value';

/** What an entity says beside its fields. */
export interface EntityOptions {
  /** What makes two instances one node; none means all scalar content. */
  idFields?: readonly string[];
  description?: string;
  /** Only so many instances become nodes, the fullest. */
  maxInstances?: number;
}

/** What a relation says beside its target. */
export interface RelationOptions {
  /** `one` or `many`. Default `one`. */
  cardinality?: 'one' | 'many';
  /** An instance without it is not complete. Default false. */
  isRequired?: boolean;
  /** The label of an edge back. */
  reverse?: string;
  /** The targets are entries of a list of choices: those that only such relations name are left out. */
  isClosedCatalog?: boolean;
  /** The targets are named by their id fields only; what they are is said elsewhere. */
  isReference?: boolean;
  description?: string;
}

/** A class of a template that becomes a node; `fields` may name other classes by `relation`. */
export function entity<Shape extends z.ZodRawShape>(name: string, fields: Shape, options: EntityOptions = {}) {
  const { idFields = [], description, maxInstances } = options;
  return z.object(fields).meta({
    title: name,
    graph_id_fields: [...idFields],
    ...(description === undefined ? {} : { description }),
    ...(maxInstances === undefined ? {} : { graph_max_instances: maxInstances }),
  });
}

/** A class of a template that stays inside its owner, such as an address. */
export function component<Shape extends z.ZodRawShape>(name: string, fields: Shape, description?: string) {
  return z
    .object(fields)
    .meta({ title: name, is_entity: false, ...(description === undefined ? {} : { description }) });
}

/** An edge to an entity under a label. A class that leads back to itself is named in a getter, as zod has it. */
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

/** A decimal number that keeps its digits. */
export const decimal = () => z.string().meta({ format: 'decimal' });

/** True for a schema of zod 4. */
export function isZodSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** The JSON Schema of a zod template with its graph members; throws a ConfigurationError for what has no JSON form. */
export function jsonSchemaOfZod(schema: z.ZodType): Attributes {
  try {
    const made = toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { type } = zodSchema._zod.def;
        if (type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
        if (type === 'bigint') jsonSchema.type = 'integer';
      },
    });
    return JSON.parse(JSON.stringify(made)) as Attributes;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`The zod template has no JSON Schema: ${reason}`, { reason }, error);
  }
}
