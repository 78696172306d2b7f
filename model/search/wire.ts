import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { GraphId } from '../graph/wire';
import { literals } from '../literals';
import { QueryEmbedding } from '../llm/index-embedding';

/** The id of a record or of a document. */
export const DocumentId = Type.String({ minLength: 1, maxLength: 512 });

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const bound = Type.Optional(Type.Union([Type.String(), Type.Number()]));
const words = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }));

/** A condition on a field, instead of a value. */
const FilterCondition = Type.Object(
  {
    gt: bound,
    gte: bound,
    lt: bound,
    lte: bound,
    prefix: words,
    phrase: words,
    not: Type.Optional(Type.Union([scalar, Type.Array(scalar, { maxItems: 10_000 })])),
    exists: Type.Optional(Type.Boolean()),
  },
  {
    $id: 'FilterCondition',
    additionalProperties: false,
    minProperties: 1,
    description:
      'Conditions that must all be true: above or below a number, date or text; a prefix of the value (in `content` and `title`: of a word); consecutive words; none of these values; with or without a value.',
  },
);
const defineNames = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 512 }),
        Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { minItems: 1, maxItems: 20 }),
      ],
      { description },
    ),
  );

/** A field whose values are counted. */
const FacetRequest = closedObject('FacetRequest', {
  field: Type.String({ minLength: 1, maxLength: 512 }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Maximum number of values.' }),
  ),
  interval: Type.Optional(
    literals(['year', 'month', 'week', 'day'], {
      description: 'For dates: the interval of each count. Default: month.',
    }),
  ),
});

/** Raises the scores of some matches. */
const SearchBoost = closedObject('SearchBoost', {
  fields: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: 1, maximum: 20 }), {
      maxProperties: 20,
      description: '`title`, `content` or keys of metadata, each with a factor for words found there.',
    }),
  ),
  recency: Type.Optional(
    Type.Object(
      {
        field: Type.Optional(
          Type.Union([Type.Literal('created_at'), Type.Literal('updated_at')], { default: 'created_at' }),
        ),
        half_life_days: Type.Number({ minimum: 1, maximum: 36_500 }),
        weight: Type.Optional(Type.Number({ minimum: 0, maximum: 10, default: 1 })),
      },
      {
        additionalProperties: false,
        description: 'Multiplies scores by 1 plus the weight, which halves with each half-life of age.',
      },
    ),
  ),
});

/** Search request. Access lists are applied inside the index query and cannot be set here. */
export const SearchRequestBody = closedObject('SearchRequest', {
  query: Type.Optional(
    Type.Union([Type.String({ maxLength: 20_000 }), Type.Null()], {
      description: 'Full text over content, title and metadata.',
    }),
  ),
  filters: Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), Type.Union([scalar, Type.Array(scalar, { maxItems: 10_000 }), FilterCondition]), {
          maxProperties: 100,
        }),
        Type.Null(),
      ],
      {
        description:
          'Field to a value, to an array of values of which one must match, or to conditions such as `{"gte": "2025-01-01"}`.',
      },
    ),
  ),
  sort: Type.Optional(
    Type.Union(
      [
        Type.Array(
          Type.Record(Type.String(), Type.Union([Type.Literal('asc'), Type.Literal('desc')]), {
            minProperties: 1,
            maxProperties: 1,
          }),
          { maxItems: 20 },
        ),
        Type.Null(),
      ],
      { description: 'Fields with their direction, by precedence.' },
    ),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'Pages end at 100,000; in all modes but text at 1,000.',
    }),
  ),
  store: Type.Optional(
    literals(['opensearch', 'pgvector'], {
      default: 'opensearch',
      description:
        'Where to search. `pgvector`: the tables that vectordb wrote to the PostgreSQL of DOCLOOM_SEARCH_POSTGRES, under the same access rule.',
    }),
  ),
  mode: Type.Optional(
    literals(['text', 'vector', 'hybrid', 'graph'], {
      default: 'text',
      description:
        '`text` finds words; `vector` finds the records whose vectors are nearest to the query; `hybrid` does both and adds the scores (except of `hashing` vectors). `graph` is `hybrid` with the passages behind the nearest facts of `graph`: it finds documents that share no word with the query. All but `text` need a query and accept no sort; their `total` counts the ranked records: at most 1,000 by words, and 1,000 by vectors (200 in the mode `hybrid`).',
    }),
  ),
  graph: Type.Optional(
    Type.Union([GraphId, Type.Array(GraphId, { minItems: 1, maxItems: 3 })], {
      description: 'Graphs that you may query, for the mode `graph`. Only facts that you may see count.',
    }),
  ),
  embedding: Type.Optional(QueryEmbedding),
  index: defineNames('Only records of these indexes, by name or alias.'),
  flow: defineNames('Only records that runs of these flows wrote; you must see the flows.'),
  project: defineNames('Only records that flows of these projects wrote; you must see the projects.'),
  document_set: defineNames('Only documents that you may read in these document sets; you must see the sets.'),
  like: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'The id of a record. Finds similar records of other documents. Used instead of `query`, in all modes but `graph`.',
    }),
  ),
  group: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Each document once, by its best record. limit and offset count documents, `total` counts records.',
    }),
  ),
  expand: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 0,
      description: 'Adds `neighbours`: this many records before and after each hit in its document.',
    }),
  ),
  facets: Type.Optional(
    Type.Array(Type.Union([Type.String({ minLength: 1, maxLength: 512 }), FacetRequest]), {
      maxItems: 10,
      description: 'Fields whose values are counted over all matching records that you may read.',
    }),
  ),
  boost: Type.Optional(SearchBoost),
  rerank: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Orders the first 50 hits by a model of the server (`DOCLOOM_RERANK_MODEL`), which reads the query with each hit. Pages end at 50.',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({ default: false, description: 'Adds `explanation` to each document: why it was found.' }),
  ),
  highlight: Type.Optional(Type.Boolean({ default: false, description: 'Adds `highlights` to each document.' })),
  provenance: Type.Optional(Type.Boolean({ default: false, description: 'Adds `provenance` to each document.' })),
});
export type SearchRequestBody = Static<typeof SearchRequestBody>;

/** A record adjacent to a hit. */
const Neighbour = Type.Object(
  { id: Type.String(), content: Type.String(), chunk_index: Type.Integer({ minimum: 0 }) },
  { $id: 'Neighbour' },
);

/** A record of the index as readers see it. */
export const DocumentReply = closedObject('DocumentResponse', {
  id: Type.String(),
  content: Type.String(),
  title: Type.String(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: Type.String(),
  updated_at: Type.String(),
  highlights: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description:
        'Passages by field, HTML-escaped, with the matching words in `<em>`. Only in searches with `highlight`.',
    }),
  ),
  provenance: Type.Optional(
    Type.Object(
      {
        document_id: Type.Optional(Type.String({ description: 'The document that the chunk belongs to.' })),
        pages: Type.Array(Type.Number()),
        boxes: Type.Array(
          Type.Object({
            page: Type.Number(),
            bbox: Type.Array(Type.Number(), {
              description: 'Left, top, right, bottom in points from the top left of the page.',
            }),
          }),
        ),
      },
      {
        description: 'Position within its document, as far as it is indexed. Only in searches with `provenance`.',
      },
    ),
  ),
  group: Type.Optional(
    Type.Object(
      {
        document_id: Type.String(),
        records: Type.Integer({ minimum: 1, description: 'Number of matching records of the document.' }),
      },
      { description: 'The document that the record represents. Only in searches with `group`.' },
    ),
  ),
  forms: Type.Optional(
    Type.Array(literals(['chunks', 'json', 'markdown', 'original']), {
      description: 'The subpaths at which you may read the document. Only for ids of documents.',
    }),
  ),
  facts: Type.Optional(
    Type.Array(
      Type.Object({
        graph_id: Type.String(),
        passage: Type.String(),
        nodes: Type.Array(
          Type.Object({
            id: Type.String(),
            label: Type.String({ description: 'Its class.' }),
            title: Type.Optional(Type.String({ description: 'Its name or title, else its first text.' })),
          }),
        ),
      }),
      {
        description:
          'Facts near the query that the record supports: the passage and the nodes that it is about. Only in the mode `graph`.',
      },
    ),
  ),
  explanation: Type.Optional(
    Type.Object(
      {
        words: Type.Optional(
          Type.Array(Type.Object({ field: Type.String(), terms: Type.Array(Type.String()) }), {
            description: 'Matching words of the query in each field, as they are indexed.',
          }),
        ),
        ranks: Type.Optional(
          Type.Object(
            {
              words: Type.Optional(Type.Integer({ minimum: 1 })),
              vectors: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { description: 'Positions in the rankings, from 1. Only in the modes `vector` and `hybrid`.' },
          ),
        ),
        similarity: Type.Optional(Type.Number({ description: 'The score of its vector; higher means nearer.' })),
        rerank_score: Type.Optional(
          Type.Number({ description: 'The score of the model; higher fits better. Only in searches with `rerank`.' }),
        ),
      },
      { description: 'Why it was found. Only in searches with `explain`.' },
    ),
  ),
  neighbours: Type.Optional(
    Type.Object(
      { before: Type.Array(Neighbour), after: Type.Array(Neighbour) },
      { description: 'Adjacent records that you may read, in order. Only in searches with `expand`.' },
    ),
  ),
});
export type DocumentReply = Static<typeof DocumentReply>;

/** One page of matches that the user may read. */
export const SearchReply = closedObject('SearchResponse', {
  documents: Type.Array(DocumentReply),
  total: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean(),
  facets: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String(),
        values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer({ minimum: 0 }) })),
        other: Type.Integer({ minimum: 0, description: 'Records with values that are not listed.' }),
      }),
      {
        description:
          'Counts in the order of the request. In the modes `vector` and `hybrid`, only ranked records are counted.',
      },
    ),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Indexes that a vector search left out, with the reason, and models that do not know the language of the query. Absent if there are none.',
    }),
  ),
});
export type SearchReply = Static<typeof SearchReply>;

/** Completions of a text. */
export const SuggestReply = closedObject('SuggestReply', {
  suggestions: Type.Array(
    Type.Object({
      text: Type.String(),
      kind: Type.Union([Type.Literal('title'), Type.Literal('words')], {
        description: '`title`: the title of a record; `words`: what was typed, its last word complete.',
      }),
    }),
  ),
});
export type SuggestReply = Static<typeof SuggestReply>;
