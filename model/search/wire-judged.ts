import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { pageSchema } from '../wire-parts';
import { DocumentId } from './wire';

/** Ids of judged queries: the hash of user and query. */
export const JudgedQueryId = Type.String({ pattern: '^[0-9a-f]{32}$' });
/** How many queries one measurement runs. */
export const maxMeasured = 100;
/** How many marks a query keeps; the oldest are dropped. */
export const maxMarks = 200;

const query = Type.String({ minLength: 1, maxLength: 1_000, pattern: '\\S', description: 'The words of the search.' });
const documents = Type.Array(Type.String(), { description: 'Ids of documents, the newest mark last.' });

/** A mark: whether a document answers a query. */
export const Judgement = closedObject('Judgement', {
  query,
  document_id: DocumentId,
  is_relevant: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether the document answers the query; null removes the mark.',
  }),
});
export type Judgement = Static<typeof Judgement>;

/** A query with the documents that its user marked. */
export const JudgedQuery = closedObject('JudgedQuery', {
  query_id: Type.String(),
  query: Type.String(),
  relevant: documents,
  not_relevant: documents,
  updated_at: Type.String(),
});
export type JudgedQuery = Static<typeof JudgedQuery>;

/** A page of judged queries. */
export const JudgedQueryPage = pageSchema(JudgedQuery, 'JudgedQueryPage');
export type JudgedQueryPage = Static<typeof JudgedQueryPage>;

const figure = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
  description: 'Mean nDCG@10 over the queries; null where this ranking is not possible.',
});

/** How well the rankings answered the judged queries at one time. */
export const SearchMeasurement = closedObject('SearchMeasurement', {
  measured_at: Type.String(),
  queries: Type.Integer({ minimum: 1, description: 'Judged queries with at least one relevant document.' }),
  ndcg: Type.Object({ text: figure, vector: figure, hybrid: figure }),
});
export type SearchMeasurement = Static<typeof SearchMeasurement>;

/** The measurements of a user, oldest first. */
export const SearchMeasurements = closedObject('SearchMeasurements', {
  measurements: Type.Array(SearchMeasurement, { description: 'The newest 100, oldest first.' }),
});
export type SearchMeasurements = Static<typeof SearchMeasurements>;
