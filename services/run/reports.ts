import type { Collection } from 'mongodb';
import type { PagesOfDocuments } from '../../model/page/page-count';
import type { PartReport } from '../../model/run/run';
import { guard, type Mongo, createWhenReady, type WhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import { addPart, groupOutcomesById } from './operator-totals';
import type { OperatorStats, RunDocument, RunsStore } from './run-record';

/**
 * The report of one operator on one part; `_id` is `<run>/<operator>/<part>`. `report` is JSON text, absent while the operator
 * runs.
 */
interface StoredPart {
  _id: string;
  run_id: string;
  operator: string;
  type: string;
  part: string;
  report?: string;
  /** Number of finished documents while there is no report. */
  live?: number;
  /** Pages of documents that are being converted. */
  live_pages?: PagesOfDocuments;
  /** Pages by document id, as JSON text, when the operator counted any. */
  pages?: string;
  started: string;
  ended?: string;
}
interface StoredDocument extends RunDocument {
  _id: string;
  run_id: string;
  part: string;
}

type ReportsStore = Pick<
  RunsStore,
  | 'recordPart'
  | 'findPartReport'
  | 'forgetPart'
  | 'recordProgress'
  | 'findOutcomes'
  | 'readOperatorStats'
  | 'listDocuments'
> & { removeReports(runId: string): Promise<void> };
type Writer = 'recordPart' | 'recordProgress' | 'forgetPart' | 'removeReports';

/** Stores the reports of a run's activities in MongoDB. */
export function createRunReports(mongo: Mongo): ReportsStore {
  const parts = mongo.collection<StoredPart>('run_parts');
  const documents = mongo.collection<StoredDocument>('run_documents');
  const whenReady = createWhenReady(async () => {
    await parts.createIndex({ run_id: 1, part: 1 });
    await documents.createIndex({ run_id: 1, id: 1 });
  });
  return {
    ...createWriters(parts, documents, whenReady),
    recordProgress: createProgressWriter(parts),
    ...createReaders(parts, documents),
  };
}

const buildKey = (runId: string, operator: string, part: string) => `${runId}/${operator}/${part}`;

function createWriters(
  parts: Collection<StoredPart>,
  documents: Collection<StoredDocument>,
  whenReady: WhenReady,
): Pick<ReportsStore, Exclude<Writer, 'recordProgress'>> {
  return {
    recordPart: (runId, { name, type }, part, { report, documents: outcomes, times: { started, ended, pages } }) =>
      whenReady(async () => {
        if (outcomes.length > 0) {
          await documents.bulkWrite(
            outcomes.map((outcome) => {
              const _id = buildKey(runId, name, outcome.id);
              return {
                replaceOne: { filter: { _id }, replacement: { run_id: runId, part, ...outcome }, upsert: true },
              };
            }),
            { ordered: false },
          );
        }
        const _id = buildKey(runId, name, part);
        await parts.replaceOne(
          { _id },
          {
            run_id: runId,
            operator: name,
            type,
            part,
            report: JSON.stringify(report),
            ...(pages ? { pages: JSON.stringify(pages) } : {}),
            started,
            ended,
          },
          { upsert: true },
        );
      }),
    forgetPart: (runId, part) =>
      guard(async () => {
        const inPart = { run_id: runId, part: { $regex: `^${part}(-|$)` } };
        await documents.deleteMany(inPart);
        await parts.deleteMany(inPart);
      }),
    removeReports: (runId) =>
      guard(async () => {
        await parts.deleteMany({ run_id: runId });
        await documents.deleteMany({ run_id: runId });
      }),
  };
}

function createProgressWriter(parts: Collection<StoredPart>): ReportsStore['recordProgress'] {
  return (runId, { name, type }, part, { documents, pages }) =>
    guard(async () => {
      // Never overwrite a report: a late progress update must not reopen the part.
      await parts
        .updateOne(
          { _id: buildKey(runId, name, part), report: { $exists: false } },
          {
            $set: { live: documents, ...(pages ? { live_pages: pages } : {}) },
            ...(pages ? {} : { $unset: { live_pages: '' } }),
            $setOnInsert: { run_id: runId, operator: name, type, part, started: new Date().toISOString() },
          },
          { upsert: true },
        )
        .catch(() => undefined);
    });
}

function createReaders(
  parts: Collection<StoredPart>,
  documents: Collection<StoredDocument>,
): Omit<ReportsStore, Writer> {
  return {
    findPartReport: (runId, operator, part) =>
      guard(async () => {
        const stored = await parts.findOne({ _id: buildKey(runId, operator, part) });
        return stored?.report ? (JSON.parse(stored.report) as PartReport) : undefined;
      }),
    findOutcomes: (runId, ids) =>
      guard(async () => {
        const records = await documents.find({ run_id: runId, id: { $in: [...ids] } }).toArray();
        return groupOutcomesById(records.map(toDocument));
      }),
    readOperatorStats: (runId) =>
      guard(async () => {
        const stats = new Map<string, OperatorStats>();
        for await (const part of parts.find({ run_id: runId })) addPart(stats, part);
        return [...stats.values()];
      }),
    listDocuments: (runId, { limit, offset, outcome }) =>
      guard(() => {
        const filter = { run_id: runId, ...(outcome ? { outcome } : {}) };
        return readPage(documents, filter, { sort: { _id: 1 }, limit, offset }, toDocument);
      }),
  };
}

function toDocument({ id, name, code, message, operator, outcome }: StoredDocument): RunDocument {
  return { id, name, code, message, operator, outcome };
}
