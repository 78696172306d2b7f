import { createHash, randomUUID } from 'node:crypto';
import { type Judgement, type JudgedQuery, maxMarks, type SearchMeasurement } from '../../model/search/wire-judged';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** Marks of users and their measurements. Queries are private, so administrators have no additional access. */
export interface JudgedQueries {
  /** Sets or removes a mark. A query whose last mark is removed stays, without documents. */
  mark(owner: string, judgement: Judgement, at: string): Promise<JudgedQuery>;
  /** The newest first. `isMeasurable` leaves out queries without a relevant document. */
  list(
    owner: string,
    page: { limit: number; offset: number; isMeasurable?: boolean },
  ): Promise<{ items: JudgedQuery[]; total: number }>;
  /** False if the user has no such query. */
  remove(owner: string, queryId: string): Promise<boolean>;
  addMeasurement(owner: string, measurement: SearchMeasurement): Promise<void>;
  /** The newest 100, oldest first. */
  listMeasurements(owner: string): Promise<SearchMeasurement[]>;
}

interface StoredQuery {
  _id: string;
  owner: string;
  query: string;
  /** A later mark of a document replaces an earlier one. */
  marks?: { document_id: string; is_relevant: boolean }[];
  updated_at: string;
}
type StoredMeasurement = SearchMeasurement & { _id: string; owner: string };

const newestFirst = { updated_at: -1, _id: 1 } as const;
const maxMeasurements = 100;
/** Queries of a user; the oldest ones are removed. */
const maxQueries = 1_000;

/** Judged queries in MongoDB. */
export function createJudgedQueries(mongo: Mongo): JudgedQueries {
  const queries = mongo.collection<StoredQuery>('judged_queries');
  const measured = mongo.collection<StoredMeasurement>('search_measurements');
  const ready = createWhenReady(async () => {
    await queries.createIndex({ owner: 1, updated_at: -1 });
    await measured.createIndex({ owner: 1, measured_at: -1 });
  });
  return {
    mark: (owner, { query, document_id, is_relevant }, at) =>
      guard(async () => {
        await ready();
        const _id = computeId(owner, query);
        const judgement = { owner, query: query.trim(), updated_at: at };
        await queries.updateOne({ _id }, { $set: judgement, $pull: { marks: { document_id } } }, { upsert: true });
        if (is_relevant !== null) {
          const marks = { $each: [{ document_id, is_relevant }], $slice: -maxMarks };
          await queries.updateOne({ _id }, { $push: { marks } });
        }
        const [extra] = await queries.find({ owner }).sort(newestFirst).skip(maxQueries).limit(1).toArray();
        if (extra) await queries.deleteMany({ owner, updated_at: { $lte: extra.updated_at } });
        const stored = await queries.findOne({ _id });
        return toJudgedQuery(stored ?? { _id, ...judgement, marks: [] });
      }),
    list: (owner, { limit, offset, isMeasurable }) =>
      guard(async () => {
        await ready();
        const filter = { owner, ...(isMeasurable ? { marks: { $elemMatch: { is_relevant: true } } } : {}) };
        return await readPage(queries, filter, { sort: newestFirst, limit, offset }, toJudgedQuery);
      }),
    remove: (owner, queryId) => guard(async () => (await queries.deleteOne({ _id: queryId, owner })).deletedCount > 0),
    addMeasurement: (owner, measurement) =>
      guard(async () => {
        await ready();
        await measured.insertOne({ _id: randomUUID(), owner, ...measurement });
        const measurements = measured.find({ owner }).sort({ measured_at: -1 }).skip(maxMeasurements).limit(1);
        const [oldest] = await measurements.toArray();
        if (oldest) await measured.deleteMany({ owner, measured_at: { $lte: oldest.measured_at } });
      }),
    listMeasurements: (owner) =>
      guard(async () => {
        await ready();
        const measurements = await measured.find({ owner }).sort({ measured_at: -1 }).limit(maxMeasurements).toArray();
        return measurements
          .map(({ measured_at, queries: count, ndcg }) => ({ measured_at, queries: count, ndcg }))
          .toReversed();
      }),
  };
}

function computeId(owner: string, query: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, query.trim()]))
    .digest('hex')
    .slice(0, 32);
}

function toJudgedQuery({ _id, query, marks = [], updated_at }: StoredQuery): JudgedQuery {
  const latest = new Map(marks.map(({ document_id, is_relevant }) => [document_id, is_relevant]));
  const listMarked = (relevance: boolean) =>
    [...latest].flatMap(([id, isRelevant]) => (isRelevant === relevance ? [id] : []));
  return { query_id: _id, query, relevant: listMarked(true), not_relevant: listMarked(false), updated_at };
}
