import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../../closed-object';
import { count } from '../../wire-parts';
import { FlowEdge, FlowOperator } from '../flow';
import { FlowId } from '../wire-flows';

const defineNumber = (description: string) => Type.Integer({ minimum: 1, description });
const restoredFrom = Type.Optional(defineNumber('Set where an earlier version was restored.'));
const itemMembers = {
  version: defineNumber('Counts from 1.'),
  saved_on: Type.String({ format: 'date-time' }),
  saved_by: Type.String(),
  changes: Type.Array(Type.String(), {
    description: 'Paths of the differences from the previous version; the first 20 of `total_changes`.',
  }),
  total_changes: count,
  is_current: Type.Boolean(),
  restored_from: restoredFrom,
};

/** One version of a flow, without its content. */
export const FlowVersionItem = Type.Object(itemMembers, { $id: 'FlowVersionItem', additionalProperties: false });

/** Versions of a flow, newest first. */
export const FlowVersionPage = closedObject('FlowVersionPage', {
  flow_id: FlowId,
  versions: Type.Array(FlowVersionItem),
  total_count: count,
  offset: count,
  limit: Type.Integer({ minimum: 1 }),
  first: Type.String(),
  next: Type.Union([Type.String(), Type.Null()]),
  prev: Type.Union([Type.String(), Type.Null()]),
});
export type FlowVersionPage = Static<typeof FlowVersionPage>;

/** One version of a flow with its content; secrets are masked. */
export const FlowVersionReply = closedObject('FlowVersion', {
  flow_id: FlowId,
  ...itemMembers,
  content: Type.Object({
    flow_name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    global_config: Type.Record(Type.String(), Type.Unknown()),
    flow: Type.Array(FlowOperator),
    edges: Type.Array(FlowEdge),
    tags: Type.Array(Type.String()),
    flow_version: Type.String({ description: 'Version of the format.' }),
    definition: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The drawing of a flow in the format of the graphical editor.',
      }),
    ),
  }),
});
export type FlowVersionReply = Static<typeof FlowVersionReply>;

/** The differences between two versions of a flow. */
export const FlowVersionDifference = closedObject('FlowVersionDifference', {
  flow_id: FlowId,
  version: defineNumber('The requested version: `after` in each difference.'),
  base_version: defineNumber('The version that it is compared with: `before` in each difference.'),
  differences: Type.Array(
    Type.Object({
      path: Type.String({
        description: 'A JSON pointer that uses the names of operators, such as /flow/chunk/config/chunk_size.',
      }),
      kind: Type.Union([Type.Literal('added'), Type.Literal('removed'), Type.Literal('changed')]),
      before: Type.Optional(Type.Unknown({ description: 'Absent for added members, and for long values.' })),
      after: Type.Optional(Type.Unknown({ description: 'Absent for removed members, and for long values.' })),
    }),
    { description: 'The first 500 of `total_differences`. Secrets are masked and never compared.' },
  ),
  total_differences: count,
});
export type FlowVersionDifference = Static<typeof FlowVersionDifference>;
