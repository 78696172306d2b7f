import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../literals';
import { ChatProviderConfig, modelTypes, type ModelType } from '../llm/model-host';
import { UserName } from '../login/user-name';
import { uuidPattern } from '../uuid';
import { defaultGraphFormats, graphFormats, graphStates } from './graph-build';
import { resolutionModes } from './pairs';

const nothing = Type.Null();
const defineNullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, nothing], { description });

/** The path parameter `graph_id`: a UUID in lower case. */
export const GraphId = Type.String({
  pattern: uuidPattern,
  description: 'UUID in lower case.',
});
/** States in lists and replies. */
export const GraphState = literals(graphStates);
/** Formats of graph files. */
export const GraphFormat = literals(graphFormats);

/** Build options of a graph. Absent members use the library's default, unless a default is given here. */
export const GraphOptions = Type.Object(
  {
    backend: Type.Optional(
      literals(['rules', 'llm', 'vlm'], {
        default: 'rules',
        description:
          '`rules`: by labels and tables, without a model; `llm`: a language model of the `type`; `vlm`: a local vision model, on the page images that a task of `/v1` stores with `include_page_images`.',
      }),
    ),
    type: Type.Optional(
      literals(Object.keys(modelTypes) as ModelType[], {
        description: 'The service that runs the model: `local_api`, `gateway` or `hosted`. Default: local_api.',
      }),
    ),
    provider_config: Type.Optional(ChatProviderConfig),
    extraction_contract: Type.Optional(
      literals(['direct', 'dense', 'auto'], {
        default: 'auto',
        description:
          '`direct` asks once about the whole document, or chunk by chunk if it does not fit the context; `dense` asks first for the entities in the chunks, then for their fields; `auto` is `direct` if one answer can hold everything, else `dense`.',
      }),
    ),
    context_limit: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum number of tokens of a prompt and its answer together.' }),
    ),
    max_output_tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Maximum number of tokens of one answer. Default: max_tokens of provider_config.',
      }),
    ),
    processing_mode: Type.Optional(
      literals(['one-to-one', 'many-to-one'], {
        default: 'many-to-one',
        description: 'A model for each page, or one for the document.',
      }),
    ),
    use_chunking: Type.Optional(Type.Boolean({ default: true })),
    chunk_max_tokens: Type.Optional(Type.Integer({ minimum: 16, maximum: 1_000_000, default: 512 })),
    parallel_workers: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 32, default: 4, description: 'Number of concurrent requests.' }),
    ),
    gleaning_enabled: Type.Optional(Type.Boolean({ default: true })),
    provenance: Type.Optional(
      literals(['off', 'standard', 'detailed'], {
        default: 'standard',
        description: 'How much evidence is kept on nodes and in `provenance.json`.',
      }),
    ),
    reverse_edges: Type.Optional(Type.Boolean({ default: false })),
    profile: Type.Optional(
      literals(['spec', 'peer'], {
        default: 'spec',
        description: '`peer` writes the files as the Python library does.',
      }),
    ),
    formats: Type.Optional(
      Type.Array(GraphFormat, {
        minItems: 1,
        maxItems: graphFormats.length,
        uniqueItems: true,
        default: [...defaultGraphFormats],
        description: '`json` is always written.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'GraphOptions' },
);
export type GraphOptions = Static<typeof GraphOptions>;

const defineLimit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));

/** The limits of an update of a graph. */
export const GraphLimit = Type.Object(
  {
    documents: defineLimit('Documents to read.'),
    model_calls: defineLimit('Requests to the model.'),
    input_tokens: defineLimit('Tokens sent to the model.'),
  },
  {
    additionalProperties: false,
    $id: 'GraphLimit',
    description:
      'With `name`: an update fails before it starts if the estimate exceeds a limit, and stops when it reaches one.',
  },
);

/** How nodes that mean the same thing are found. */
export const GraphResolution = literals(resolutionModes, {
  description:
    'Whether nodes that mean the same thing are found after each update: `off`; `rules` by names, key values and neighbours; `model` asks the model of the graph about the doubtful ones as well. Doubtful pairs wait for the owner, see `pairs`.',
});

const readers = Type.Array(UserName, {
  maxItems: 1_000,
  description:
    'With `name`: users who may query the graph besides its owner. Each sees the facts of documents that they may read.',
});

const autoUpdate = Type.Boolean({
  description:
    'Whether an update follows each run that writes the document set, with the `limit` of the latest update. Runs that end during an update cause one more update.',
});

/** Request body that changes settings of a graph of a corpus. */
export const GraphChange = Type.Object(
  {
    readers: Type.Optional(readers),
    resolution: Type.Optional(GraphResolution),
    auto_update: Type.Optional(autoUpdate),
  },
  { additionalProperties: false, $id: 'GraphChange', minProperties: 1 },
);
export type GraphChange = Static<typeof GraphChange>;

/** Request body for an update of a graph of a corpus. */
export const GraphUpdate = Type.Object(
  {
    limit: Type.Optional(GraphLimit),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: 'Only compare and estimate, without calling a model.' }),
    ),
  },
  { additionalProperties: false, $id: 'GraphUpdate' },
);
export type GraphUpdate = Static<typeof GraphUpdate>;

const count = (description: string) => Type.Integer({ description });

/** The state of the updates of a corpus graph. */
export const GraphCorpus = Type.Object(
  {
    update: count('Number of the latest update, from 1. The state of the graph is that of this update.'),
    updated_at: defineNullable(Type.String(), 'When the graph was last brought up to date.'),
    resolution: GraphResolution,
    auto_update: autoUpdate,
    is_dry_run: Type.Boolean({ description: 'The latest update only compares and estimates.' }),
    limit: Type.Union([GraphLimit, nothing]),
    changes: defineNullable(
      Type.Object({
        added: Type.Integer(),
        changed: count('Changed documents, and those that failed before.'),
        removed: Type.Integer(),
        unchanged: Type.Integer(),
        without_headings: Type.Optional(
          count('Added and changed documents that are read as plain text, because their headings are unknown.'),
        ),
      }),
      'How the set differs from the graph, for the owner; null until the update is planned.',
    ),
    estimate: defineNullable(
      Type.Object({
        documents: count('Added and changed documents.'),
        chunks: Type.Integer(),
        model_calls: count('Requests about documents and about pairs.'),
        input_tokens: Type.Integer(),
        pairs: Type.Optional(
          count('Estimated number of pairs of nodes that the model decides, with `resolution` `model`.'),
        ),
      }),
      'The estimated cost of the update, for the owner; null until the update is planned.',
    ),
    usage: defineNullable(
      Type.Object({ model_calls: Type.Integer(), input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
      'The usage of the update so far, for the owner.',
    ),
  },
  { $id: 'GraphCorpus' },
);
export type GraphCorpus = Static<typeof GraphCorpus>;

/** Request body for building a graph: one source, a template, options. */
export const GraphCreate = Type.Object(
  {
    document_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'A record of the index, or a document whose chunks are in the index: they are joined in order.',
      }),
    ),
    document_set_id: Type.Optional(
      Type.String({
        pattern: uuidPattern,
        description: 'Look up `document_id` in this document set instead of in the index.',
      }),
    ),
    task_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Instead: a task of `/v1` that has succeeded, with the output `json`, `md` or `text`.',
      }),
    ),
    document_index: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Index of the document in the task, from 0; required if the task has several.',
      }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4_000_000, description: 'Instead: the text itself, as Markdown.' }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Instead of a graph of one document: a graph of all documents of `document_set_id`, under this name. It stays until it is deleted, and its updates follow the set.',
      }),
    ),
    readers: Type.Optional(readers),
    resolution: Type.Optional(GraphResolution),
    auto_update: Type.Optional(autoUpdate),
    limit: Type.Optional(GraphLimit),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'With `name`: only compare and estimate, without calling a model.' }),
    ),
    template: Type.Union([Type.String({ minLength: 1, maxLength: 200_000 }), Type.Object({})], {
      description: 'A template or a JSON Schema, as an object, or as its YAML or JSON text; no dotted paths.',
    }),
    options: Type.Optional(GraphOptions),
  },
  { additionalProperties: false, $id: 'GraphCreate' },
);
export type GraphCreate = Static<typeof GraphCreate>;

/** A graph that the service has built or is building. */
export const GraphReply = Type.Object(
  {
    id: GraphId,
    owner: Type.String(),
    name: Type.Optional(Type.String({ description: 'For graphs of a corpus only, like the next two members.' })),
    readers: Type.Optional(Type.Array(Type.String(), { description: 'For the owner.' })),
    corpus: Type.Optional(GraphCorpus),
    state: GraphState,
    source: Type.Object({
      document_id: Type.Optional(Type.String()),
      document_set_id: Type.Optional(Type.String()),
      task_id: Type.Optional(Type.String()),
      document_index: Type.Optional(Type.Integer()),
      name: Type.String({ description: 'Title or file name; `text` for text in the request.' }),
    }),
    template: Type.String({ description: 'The name of the root class.' }),
    options: Type.Composite(
      [Type.Omit(GraphOptions, ['provider_config']), Type.Object({ model_id: Type.Optional(Type.String()) })],
      { $id: 'UsedGraphOptions' },
    ),
    progress: Type.Object({
      chunks: Type.Integer({ description: 'Chunks that a model has finished; 0 with `rules`.' }),
    }),
    nodes: defineNullable(
      Type.Integer(),
      'Number of nodes. Null until the graph is built, like `edges` and `problems`. The counts of a graph of a corpus depend on the reader; see `statistics`.',
    ),
    edges: defineNullable(Type.Integer(), 'Number of edges.'),
    problems: defineNullable(Type.Integer(), 'Number of values that were changed or left out.'),
    files: Type.Array(
      Type.Object({
        name: Type.String(),
        format: Type.Union([GraphFormat, nothing]),
        bytes: Type.Integer(),
        media_type: Type.String(),
      }),
    ),
    error: defineNullable(Type.Object({ code: Type.String(), message: Type.String() }), 'The reason for the failure.'),
    created_at: Type.String(),
    started_at: Type.Union([Type.String(), nothing]),
    ended_at: Type.Union([Type.String(), nothing]),
  },
  { $id: 'Graph' },
);
export type GraphReply = Static<typeof GraphReply>;

/** One page of graphs, newest first. */
export const GraphPage = Type.Object(
  {
    items: Type.Array(GraphReply),
    total: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
    first: Type.String(),
    next: Type.Union([Type.String(), nothing]),
    prev: Type.Union([Type.String(), nothing]),
  },
  { $id: 'GraphPage' },
);
export type GraphPage = Static<typeof GraphPage>;
