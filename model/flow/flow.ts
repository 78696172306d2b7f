import { type Static, Type } from '@sinclair/typebox';

/** Names of flows and operators: 1 to 256 characters, without control characters. */
const defineName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 256, pattern: '^(?=.*\\S)[^\\u0000-\\u001f]*$', description });

/** One step of a flow. A stored one keeps members that this version does not know. */
export const FlowOperator = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 256, description: 'The operator, as listed by /operators/metadata.' }),
    name: defineName('Unique within the flow.'),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        default: {},
        maxProperties: 1_000,
        description: "The configuration; its schema is the operator's.",
      }),
    ),
    depends_on: Type.Optional(
      Type.Array(Type.String(), {
        default: [],
        maxItems: 1_000,
        description: 'Names of the operators that provide its input rows.',
      }),
    ),
  },
  { $id: 'FlowOperator', additionalProperties: true },
);
export type FlowOperator = Static<typeof FlowOperator>;

/** An operator in a request. Unknown members are rejected, because they are probably typing errors. */
export const FlowOperatorInput = Type.Object(FlowOperator.properties, {
  $id: 'FlowOperatorInput',
  additionalProperties: false,
});

/** A connection between two operators by name; equivalent to an entry of `depends_on`. */
export const FlowEdge = Type.Object(
  { source: Type.String({ minLength: 1 }), target: Type.String({ minLength: 1 }) },
  { $id: 'FlowEdge', additionalProperties: true },
);
export type FlowEdge = Static<typeof FlowEdge>;

/** The keys of `global_config` that the engine reads. Other keys are ignored with a warning. */
export const GlobalConfig = Type.Object(
  {
    force_ingest: Type.Optional(Type.Boolean({ description: 'Ingest again what was ingested before.' })),
    retain_deleted_docs: Type.Optional(
      Type.Boolean({ description: 'Keep index entries of documents that were deleted from the source.' }),
    ),
    confirm_empty_source: Type.Optional(
      Type.Boolean({
        description:
          'Remove all documents although the source is empty. A parameter of a single run; refused in flows and schedules.',
      }),
    ),
    fail_fast: Type.Optional(Type.Boolean({ description: 'End the run at the first failed document.' })),
    micro_batch_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Documents per batch, default 32, or 64 small files in long listings.',
      }),
    ),
    max_concurrent_batches: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Batches at a time, default 4.' }),
    ),
    time_limit_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 43_200,
        description: 'Ends a run that takes longer. Finished documents stay finished.',
      }),
    ),
    disable_validation: Type.Optional(
      Type.Boolean({ deprecated: true, description: 'Ignored; a flow is always validated.' }),
    ),
  },
  { $id: 'GlobalConfig', additionalProperties: true, maxProperties: 2_000 },
);
export type GlobalConfig = Static<typeof GlobalConfig>;

/** The authoring format of a flow, as it is posted, stored and shown. */
export const FlowDefinition = Type.Object(
  {
    flow_name: defineName('The job id of a command-line run is derived from it.'),
    description: Type.Optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])),
    global_config: Type.Optional(GlobalConfig),
    flow: Type.Array(FlowOperator, { minItems: 1, maxItems: 1_000 }),
    edges: Type.Optional(Type.Array(FlowEdge, { maxItems: 10_000 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 36 })),
    project_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
  },
  { $id: 'FlowDefinition', additionalProperties: true },
);
export type FlowDefinition = Static<typeof FlowDefinition>;
