import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { ElyraFlowReply } from '../elyra/wire';
import { UserName } from '../login/user-name';
import { readOnly } from '../read-only';
import { uuidPattern } from '../uuid';
import { nullableText } from '../wire-parts';
import { FlowDefinition, FlowEdge, FlowOperator, FlowOperatorInput } from './flow';

/** The path parameter and member `flow_id`: a UUID in lower case. */
export const FlowId = Type.String({
  pattern: uuidPattern,
  description: 'UUID in lower case.',
});

const readers = Type.Array(UserName, {
  maxItems: 1000,
  description: 'User names of people who may read it, in addition to the owner.',
});

const readOnlyMembers = readOnly(
  'flow_id',
  'flow_source',
  'flow_version',
  'created_on',
  'modified_on',
  'created_by',
  'modified_by',
);
const operators = Type.Array(FlowOperatorInput, { minItems: 1, maxItems: 1_000 });

/** Request body for creating a flow: the authoring format plus the list of readers. */
export const FlowCreate = Type.Composite(
  [
    Type.Omit(FlowDefinition, ['flow']),
    Type.Object({ flow: operators, readers: Type.Optional(readers), container_id: Type.Optional(nullableText) }),
    Type.Object({ ...readOnlyMembers, ...readOnly('owner') }),
  ],
  { $id: 'FlowCreate', additionalProperties: false },
);
export type FlowCreate = Static<typeof FlowCreate>;

/** Request body for replacing a flow. Project and owner stay unchanged when absent; all other absent members are cleared. */
export const FlowReplace = Type.Composite(
  [
    Type.Omit(FlowCreate, ['owner']),
    Type.Object({ owner: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })) }),
  ],
  { $id: 'FlowReplace', additionalProperties: false },
);
export type FlowReplace = Static<typeof FlowReplace>;

const defineNullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/**
 * Request body for changing a flow, with at least one member. `null` clears a member; `global_config` is merged, and its `null`
 * members are removed.
 */
export const FlowPatch = closedObject('FlowPatch', {
  flow_name: Type.Optional(FlowDefinition.properties.flow_name),
  description: defineNullable(Type.String({ maxLength: 10_000 })),
  global_config: defineNullable(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 2_000 })),
  flow: Type.Optional(operators),
  edges: defineNullable(Type.Array(FlowEdge, { maxItems: 10_000 })),
  tags: defineNullable(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 36 })),
  project_id: defineNullable(Type.String({ maxLength: 64 })),
  container_id: defineNullable(Type.String({ maxLength: 64 })),
  readers: defineNullable(readers),
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  ...readOnlyMembers,
});
export type FlowPatch = Static<typeof FlowPatch>;

/** A stored flow; secrets in its configuration are masked. */
export const FlowReply = Type.Composite(
  [
    Type.Omit(FlowDefinition, ['flow']),
    Type.Object({
      flow: Type.Array(FlowOperator, { description: 'Empty only for a flow that was begun in the graphical editor.' }),
      flow_id: FlowId,
      owner: Type.String(),
      readers: Type.Array(Type.String()),
      flow_source: Type.Union([Type.Literal('api'), Type.Literal('cli')]),
      flow_version: Type.String(),
      created_on: Type.String({ format: 'date-time' }),
      modified_on: Type.String({ format: 'date-time' }),
      created_by: Type.String(),
      modified_by: Type.String(),
    }),
  ],
  { $id: 'Flow', additionalProperties: false },
);
export type FlowReply = Static<typeof FlowReply>;

/** One page of flows; the links are absolute and keep the filters. */
export const FlowPage = Type.Object(
  {
    flows: Type.Array(Type.Union([FlowReply, ElyraFlowReply]), { description: 'Each in the format it was stored in.' }),
    total_count: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1 }),
    first: Type.String(),
    next: nullableText,
    prev: nullableText,
  },
  { $id: 'FlowPage' },
);
export type FlowPage = Static<typeof FlowPage>;

/** Result of a bulk deletion, by flow. */
export const FlowsDeleted = Type.Object(
  {
    deleted: Type.Array(Type.String()),
    failed: Type.Array(Type.Object({ flow_id: Type.String(), code: Type.String(), error: Type.String() })),
    total_requested: Type.Integer({ minimum: 1 }),
    total_deleted: Type.Integer({ minimum: 0 }),
    total_failed: Type.Integer({ minimum: 0 }),
  },
  { $id: 'FlowsDeleted' },
);
export type FlowsDeleted = Static<typeof FlowsDeleted>;

/** One validation finding. `node_id` is the name of the operator; other members depend on `message_code`. */
export const FlowAlertReply = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    message_code: nullableText,
    node_id: nullableText,
    node_name: nullableText,
    operator: nullableText,
    pointer: Type.Optional(Type.String({ description: 'JSON pointer into the flow.' })),
  },
  { $id: 'FlowAlert', additionalProperties: true },
);
export type FlowAlertReply = Static<typeof FlowAlertReply>;

/** The result of validating a flow. */
export const ValidationReply = Type.Object(
  {
    status: Type.Union([Type.Literal('SUCCEEDED'), Type.Literal('FAILED'), Type.Literal('SUCCEEDED_WITH_WARNINGS')]),
    message: nullableText,
    errors: Type.Array(FlowAlertReply),
    warnings: Type.Array(FlowAlertReply),
  },
  { $id: 'ValidationReply' },
);
export type ValidationReply = Static<typeof ValidationReply>;
