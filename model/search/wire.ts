import { type Static, Type } from '@sinclair/typebox';
import { QueryEmbedding } from '../llm/index-embedding';

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** What to look for. Access lists are applied inside the index query and cannot be named here. */
export const SearchRequestBody = Type.Object(
  {
    query: Type.Optional(
      Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()], {
        description: 'Full text over content, title and metadata.',
      }),
    ),
    filters: Type.Optional(
      Type.Union(
        [
          Type.Record(Type.String(), Type.Union([scalar, Type.Array(scalar, { maxItems: 10_000 })]), {
            maxProperties: 100,
          }),
          Type.Null(),
        ],
        { description: 'Exact matches: field to a value, or to an array of values of which one must match.' },
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
        { description: 'Fields with their direction, the first one first.' },
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        description: 'Pages end at 100,000; in the modes vector and hybrid at 1,000.',
      }),
    ),
    mode: Type.Optional(
      Type.Union(
        ['text', 'vector', 'hybrid'].map((mode) => Type.Literal(mode as 'text' | 'vector' | 'hybrid')),
        {
          default: 'text',
          description:
            '`text` looks for words, `vector` for the records whose vectors are nearest to the query, `hybrid` for both, their scores added (vectors of `hashing` left out). The last two need a query, take no sort, and `total` counts what was ranked: at most 1,000 a ranking.',
        },
      ),
    ),
    embedding: Type.Optional(QueryEmbedding),
    highlight: Type.Optional(Type.Boolean({ default: false, description: 'Adds `highlights` to each document.' })),
    provenance: Type.Optional(Type.Boolean({ default: false, description: 'Adds `provenance` to each document.' })),
  },
  { $id: 'SearchRequest' },
);
export type SearchRequestBody = Static<typeof SearchRequestBody>;

/** A record of the index as its readers see it. */
export const DocumentReply = Type.Object(
  {
    id: Type.String(),
    content: Type.String(),
    title: Type.String(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    created_at: Type.String(),
    updated_at: Type.String(),
    highlights: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Passages by field, HTML-escaped, the found words in `<em>`. In searches that ask for them.',
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
        { description: 'Where in its document it stands, as far as the index knows. In searches that ask for it.' },
      ),
    ),
  },
  { $id: 'DocumentResponse', additionalProperties: false },
);
export type DocumentReply = Static<typeof DocumentReply>;

/** A page of what matches and may be read. */
export const SearchReply = Type.Object(
  {
    documents: Type.Array(DocumentReply),
    total: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1 }),
    offset: Type.Integer({ minimum: 0 }),
    has_more: Type.Boolean(),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Which indexes were left out of a search by vectors, and why. Absent when none was.',
      }),
    ),
  },
  { $id: 'SearchResponse', additionalProperties: false },
);
export type SearchReply = Static<typeof SearchReply>;
