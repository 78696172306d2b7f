import type { TSchema } from '@sinclair/typebox';

/**
 * The keyword of a schema that marks a member as a secret: it is masked, encrypted at rest, restored when its mask comes back,
 * and references to secrets are replaced in it and nowhere else. On an object it holds for all of its members.
 */
export const secretKeyword = 'secret';

/** The keyword of an object that names its own host: a secret inside goes to the addresses inside only. */
export const ownHostKeyword = 'ownHost';

interface Schema {
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  secret?: boolean;
  ownHost?: boolean;
}

/** Where a reference may stand, and the part of the configuration that decides where it goes. */
export interface SecretPlace {
  isSecret: boolean;
  scope: unknown;
}

/** What the schema says of the place of the pointer's parts; a place that the schema does not know is no secret. */
export function secretPlaceOf(schema: TSchema, config: unknown, parts: readonly string[]): SecretPlace {
  let schemas: Schema[] = [schema as Schema];
  let scope = config;
  let value = config;
  let isSecret = false;
  for (const part of parts) {
    schemas = schemas.flatMap((one) => membersOf(one, part));
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
    if (schemas.some((one) => one.ownHost)) scope = value;
    isSecret ||= schemas.some((one) => one.secret);
  }
  return { isSecret, scope };
}

function membersOf(schema: Schema, part: string): Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own = schema.properties && Object.hasOwn(schema.properties, part) ? schema.properties[part] : undefined;
  const others = Object.values(schema.patternProperties ?? {});
  const more = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  const items = /^\d+$/.test(part) && schema.items ? [schema.items].flat() : [];
  return [...(own ? [own] : [...others, ...more]), ...items, ...inner.flatMap((one) => membersOf(one, part))];
}
