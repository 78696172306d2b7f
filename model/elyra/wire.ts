import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { UserName } from '../login/user-name';
import { uuidPattern } from '../uuid';
import { nullableText } from '../wire-parts';

const defineNullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const uuid = Type.String({ pattern: uuidPattern });
const kind = Type.Union([Type.Literal('project'), Type.Literal('space')]);
const name = Type.String({ minLength: 1, maxLength: 256, pattern: '^(?=.*\\S)[^\\u0000-\\u001f]*$' });
const definition = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 1_000,
  description: 'The pipeline document of the graphical editor, or an authoring flow.',
});
const tags = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 36 });
const users = Type.Array(UserName, { maxItems: 1000 });

const members = {
  description: defineNullable(Type.String({ maxLength: 10_000 })),
  definition: defineNullable(definition),
  tags: defineNullable(tags),
  readers: defineNullable(users),
  container_kind: defineNullable(kind),
  container_id: defineNullable(uuid),
  is_hidden: Type.Optional(Type.Boolean()),
  flow_version: Type.Optional(Type.String({ pattern: '^\\d+\\.\\d+$' })),
  job_id: defineNullable(uuid),
};

/** Request body for creating or replacing a flow in the format of the graphical editor (`is_elyra=true`). */
export const ElyraFlowCreate = Type.Object(
  { name, ...members },
  { $id: 'ElyraFlowCreate', additionalProperties: true },
);
export type ElyraFlowCreate = Static<typeof ElyraFlowCreate>;

/** Request body for changing such a flow, with at least one member. `null` clears a member. */
export const ElyraFlowPatch = Type.Object(
  { name: Type.Optional(name), ...members, owner: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })) },
  { $id: 'ElyraFlowPatch', additionalProperties: true },
);
export type ElyraFlowPatch = Static<typeof ElyraFlowPatch>;

/** A stored flow in the format of the graphical editor; secrets are masked. */
export const ElyraFlowReply = closedObject('ElyraFlow', {
  flow_id: uuid,
  name,
  description: nullableText,
  definition,
  tags: Type.Array(Type.String()),
  container_kind: Type.Union([kind, Type.Null()]),
  container_id: nullableText,
  is_hidden: Type.Boolean(),
  flow_version: Type.String(),
  created_on: Type.String({ format: 'date-time' }),
  modified_on: Type.String({ format: 'date-time' }),
  job_id: nullableText,
  created_by: Type.String(),
  modified_by: Type.String(),
  owner: Type.String(),
  readers: Type.Array(Type.String()),
  href: Type.String(),
});
export type ElyraFlowReply = Static<typeof ElyraFlowReply>;
