import type { TSchema } from '@sinclair/typebox';

interface Schema {
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  /**
   * A secret member. It is masked, encrypted at rest, and restored when its mask is sent back. References to secrets are resolved
   * only in such members. On an object it covers all members.
   */
  secret?: boolean;
  /** An object with its own host: a secret inside is sent only to addresses inside the same object. */
  ownHost?: boolean;
}

/** Whether a location may contain a reference, and the part of the configuration that decides where the secret is sent. */
export interface SecretPlace {
  isSecret: boolean;
  scope: unknown;
}

/**
 * Looks up the place in the schema; `parts` are the segments of the pointer. A place that the schema does not know is not a
 * secret.
 */
export function findSecretPlace(schema: TSchema, config: unknown, parts: readonly string[]): SecretPlace {
  let schemas: Schema[] = [schema as Schema];
  let scope = config;
  let value = config;
  let isSecret = false;
  for (const part of parts) {
    schemas = schemas.flatMap((schema) => listMembers(schema, part));
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
    if (schemas.some((schema) => schema.ownHost)) scope = value;
    isSecret ||= schemas.some((schema) => schema.secret);
  }
  return { isSecret, scope };
}

function listMembers(schema: Schema, part: string): Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const memberSchema =
    schema.properties && Object.hasOwn(schema.properties, part) ? schema.properties[part] : undefined;
  const others = Object.values(schema.patternProperties ?? {});
  const more = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  const items = /^\d+$/.test(part) && schema.items ? [schema.items].flat() : [];
  return [
    ...(memberSchema ? [memberSchema] : [...others, ...more]),
    ...items,
    ...inner.flatMap((schema) => listMembers(schema, part)),
  ];
}
