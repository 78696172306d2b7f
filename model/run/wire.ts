import { type Static, Type } from '@sinclair/typebox';
import { FlowDefinition } from '../flow/flow';
import { literals } from '../literals';
import { count, isoTime, nullableText } from '../wire-parts';
import { runStates } from './run';
import { sample, sampleChoice } from './wire-sample';
import { waiting } from './wire-waiting';

const epochSeconds = Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds since 1970.' });
const nullableTime = Type.Union([isoTime, Type.Null()]);

/** The state of a job run. */
const JobRunState = literals(runStates, { $id: 'JobRunState' });

const parameters = Type.Optional(
  Type.Array(Type.Object({ name: Type.String(), value: Type.Unknown() }), {
    maxItems: 100,
    description: 'The same as members of configuration, which take precedence.',
  }),
);
const parameterSets = Type.Optional(
  Type.Array(Type.Unknown(), { maxItems: 100, description: 'Ignored, with a warning.' }),
);
const textConfiguration = Type.Record(Type.String(), Type.String({ maxLength: 1000 }), {
  maxProperties: 1_000,
});
const runConfiguration = Type.Object(
  { user_id: Type.Optional(nullableText), metadata: Type.Optional(textConfiguration) },
  {
    additionalProperties: true,
    maxProperties: 2_000,
    description: 'All other members override the global_config of the flow.',
  },
);

/**
 * Request body for starting a run: `entity` with the flow and run parameters, or the short form with `flow_id` at the top level.
 */
export const JobRunCreate = Type.Object(
  {
    entity: Type.Optional(
      Type.Object(
        {
          job: Type.Object(
            {
              asset_ref: Type.Optional(Type.String({ description: 'The flow id.' })),
              asset_ref_type: Type.Optional(Type.String()),
              name: Type.Optional(nullableText),
              description: Type.Optional(nullableText),
              configuration: Type.Optional(textConfiguration),
              job_parameters: parameters,
              parameter_sets: parameterSets,
            },
            { additionalProperties: false },
          ),
          job_run: Type.Optional(
            Type.Object(
              {
                name: Type.Optional(nullableText),
                description: Type.Optional(nullableText),
                configuration: Type.Optional(runConfiguration),
                job_parameters: parameters,
                parameter_sets: parameterSets,
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    flow_id: Type.Optional(Type.String()),
    job_id: Type.Optional(Type.String({ deprecated: true, description: 'The same as flow_id.' })),
    flow_name: Type.Optional(Type.Union(nullableText.anyOf, { deprecated: true, description: 'Ignored.' })),
    flow_config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 2_000,
        deprecated: true,
        description: 'The same as configuration.',
      }),
    ),
    configuration: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 2_000 })),
    metadata: Type.Optional(textConfiguration),
    sample: sampleChoice,
  },
  { $id: 'JobRunCreate', additionalProperties: false },
);
export type JobRunCreate = Static<typeof JobRunCreate>;

/** Reply to starting or cancelling a run. */
export const JobRunAccepted = Type.Object(
  {
    job_run_id: Type.String(),
    status: JobRunState,
    message: Type.String(),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'After a start: members of the flow or of the request that are ignored or are probably mistakes.',
      }),
    ),
  },
  { $id: 'JobRunAccepted' },
);
export type JobRunAccepted = Static<typeof JobRunAccepted>;

const facts = {
  job_run_id: Type.String(),
  job_id: Type.String(),
  flow_id: Type.String(),
  flow_name: Type.String(),
  status: JobRunState,
  message: Type.String(),
};
const documentCounts = {
  total_docs: count,
  processed_docs: count,
  completed_docs: count,
  failed_docs: count,
  skipped_docs: count,
};
const times = { start_time: epochSeconds, end_time: epochSeconds, duration: Type.Union([Type.Number(), Type.Null()]) };
const plainTimes = { created_at: isoTime, started_at: nullableTime, ended_at: nullableTime };

/** A job run in a list. */
export const JobRunItem = Type.Object(
  {
    ...facts,
    ...times,
    ...documentCounts,
    orchestrator: Type.String(),
    user_id: Type.String(),
    ...plainTimes,
    waiting,
    sample,
  },
  { $id: 'JobRunItem', additionalProperties: false },
);
export type JobRunItem = Static<typeof JobRunItem>;

/** Newest first. `total` counts all matches, `count` those on this page. */
export const JobRunList = Type.Object(
  {
    list: Type.Array(JobRunItem),
    count,
    total: count,
    limit: count,
    offset: count,
    first: Type.String({ description: 'Address of the first page; it keeps the filters, as the others do.' }),
    next: nullableText,
    prev: nullableText,
  },
  { $id: 'JobRunList' },
);
export type JobRunList = Static<typeof JobRunList>;

const nodeStats = Type.Object(
  {
    node_id: Type.String(),
    name: Type.String(),
    operator: Type.String(),
    node_status: Type.String(),
    error: Type.String(),
    ...times,
    time_taken: Type.Number({ description: 'Seconds, summed over parts.' }),
    total_docs: count,
    failed_docs: count,
    skipped_docs: count,
    docs_completed: count,
    docs_completed_count: count,
    node_metadata: Type.Record(Type.String(), Type.Number()),
    batches: count,
  },
  { $id: 'NodeStats', additionalProperties: false },
);
export type NodeStats = Static<typeof nodeStats>;

const pagesOfDocuments = Type.Object(
  { documents: count, done: count, total: count },
  { description: 'Documents whose conversion takes more than a second, and how many of their pages are done.' },
);

/** Report of one operator of a run, for people. */
export const OperatorReport = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    documents: Type.Number({
      minimum: 0,
      description: 'Documents that went through, counting a running part by its share.',
    }),
    in: count,
    out: count,
    failed: count,
    skipped: count,
    seconds: Type.Number(),
    parts: count,
    metrics: Type.Record(Type.String(), Type.Number()),
    started_at: nullableTime,
    ended_at: nullableTime,
    pages: Type.Optional(pagesOfDocuments),
  },
  { $id: 'OperatorReport', additionalProperties: false },
);
export type OperatorReport = Static<typeof OperatorReport>;

const totals = Type.Object({
  documents: count,
  completed: count,
  failed: count,
  skipped: count,
  deleted: count,
  pages: count,
  withheld: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Documents withheld from the run, because somebody for whom it acts may not read them.',
    }),
  ),
});

/** Usage of language and embedding models in a run, over all operators. */
const RunModelsReply = Type.Object(
  {
    requests: count,
    input_tokens: count,
    output_tokens: count,
    answers_from_cache: Type.Integer({ minimum: 0, description: 'Answers served from the cache.' }),
    cost: Type.Number({ minimum: 0, description: 'At the prices of the flow; 0 without prices.' }),
  },
  { $id: 'RunModels', additionalProperties: false },
);

/** Progress and speed of a run. */
export const RunProgressReply = Type.Object(
  {
    percent: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()], {
      description: 'Null until the sources are listed; 100 only when the run has completed.',
    }),
    documents_done: count,
    documents_total: Type.Integer({ minimum: 0, description: 'As far as the sources are listed.' }),
    documents_per_second: Type.Union([Type.Number(), Type.Null()]),
    seconds_elapsed: Type.Number({ minimum: 0 }),
    seconds_remaining: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'An estimate from the rate so far.',
    }),
  },
  { $id: 'RunProgress', additionalProperties: false },
);
export type RunProgressReply = Static<typeof RunProgressReply>;

/** The data of a server-sent event of a run: always the full state, so that clients need not keep earlier events. */
export const RunEvent = Type.Object(
  {
    job_run_id: Type.String(),
    status: JobRunState,
    message: Type.String(),
    totals,
    progress: RunProgressReply,
    operators: Type.Array(
      Type.Object({
        name: Type.String(),
        documents: Type.Number({ minimum: 0 }),
        failed: count,
        skipped: count,
        pages: Type.Optional(pagesOfDocuments),
      }),
    ),
  },
  { $id: 'RunEvent', additionalProperties: false },
);
export type RunEvent = Static<typeof RunEvent>;

/** Report of one operator for one part. */
export const BatchReport = Type.Object(
  {
    operator: Type.String(),
    part: Type.String(),
    in: count,
    out: count,
    failed: count,
    skipped: count,
    seconds: Type.Number(),
    started_at: isoTime,
    ended_at: nullableTime,
  },
  { $id: 'BatchReport', additionalProperties: false },
);
export type BatchReport = Static<typeof BatchReport>;

/** Request body for repeating a run. */
export const JobRunRerun = Type.Object(
  {
    mode: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Literal('failed'), Type.Literal('operator')], {
        description:
          '`all` (default): every document from the source on. `failed`: the documents that failed. `operator`: from `from_operator` on, from its stored input tables.',
      }),
    ),
    from_operator: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The name of an operator of the flow; implies `operator`.',
      }),
    ),
    configuration: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 2_000,
        description:
          'Merged into the global_config of the earlier run. With `all`, force_ingest is true unless set here.',
      }),
    ),
  },
  { $id: 'JobRunRerun', additionalProperties: false },
);
export type JobRunRerun = Static<typeof JobRunRerun>;

/** State and counts of a run. New members come in addition to those that older clients read. */
export const JobRunReply = Type.Object(
  {
    ...facts,
    project_id: nullableText,
    owner: Type.String(),
    ...plainTimes,
    warnings: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    totals,
    progress: RunProgressReply,
    models: RunModelsReply,
    waiting,
    sample,
    rerun_of: Type.Optional(Type.String({ description: 'The run that this one repeats, in whole or in part.' })),
    logs: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'With include_logs: lines per operator.' }),
    ),
    batches: Type.Optional(
      Type.Array(BatchReport, { description: 'With include_batches: the first 1,000 reports of parts.' }),
    ),
    operators: Type.Array(OperatorReport),
    temporal_ui: Type.String({ description: "Address of the run's workflow in the Temporal UI." }),
    node_sequence: Type.Array(Type.String(), { deprecated: true, description: 'Names of operators; see operators.' }),
    job_stats: Type.Object(
      {
        job_id: Type.String(),
        job_run_id: Type.String(),
        flow_id: Type.String(),
        status: JobRunState,
        message: Type.String(),
        ...times,
        ...documentCounts,
        deleted_doc_count: count,
        total_pages_processed: count,
        orchestrator: Type.String(),
        user_id: Type.String(),
        node_stats: Type.Record(Type.String(), nodeStats),
      },
      { deprecated: true, description: 'For older clients. The same data is in totals, progress and operators.' },
    ),
    node_metadata: Type.Array(
      Type.Object({
        id: Type.String(),
        operator: Type.String(),
        node_metadata: Type.Record(Type.String(), Type.Unknown()),
      }),
      { deprecated: true, description: 'For older clients; see operators.' },
    ),
  },
  { $id: 'JobRun', additionalProperties: false },
);
export type JobRunReply = Static<typeof JobRunReply>;

/** The flow as it was when the run was created (secrets masked), and the plan that the run executes. */
export const FlowSnapshot = Type.Object(
  {
    job_run_id: Type.String(),
    flow: FlowDefinition,
    plan: Type.Record(Type.String(), Type.Unknown()),
    plan_hash: Type.String(),
  },
  { $id: 'FlowSnapshot' },
);
export type FlowSnapshot = Static<typeof FlowSnapshot>;
