import { guard, type Mongo, onceReady } from '../storage/mongo';
import type { Ledger, LedgerEntry } from '../ports';

/** `_id` is `<job id>/<document id>`; the indexes are pairs, since index names may hold dots. */
interface StoredEntry extends Omit<LedgerEntry, 'indexes' | 'id'> {
  _id: string;
  job_id: string;
  document_id: string;
  indexes: [string, string][];
  /** The last run whose listing contained the document. */
  seen_run: string;
}

const page = 1_000;

/** The ledger in MongoDB. */
export function createLedger(mongo: Mongo): Ledger {
  const entries = mongo.collection<StoredEntry>('ledger');
  const ready = onceReady(() => entries.createIndex({ job_id: 1, seen_run: 1 }));
  const key = (jobId: string, id: string) => `${jobId}/${id}`;

  return {
    lookup: (jobId, ids) =>
      guard(async () => {
        const found = await entries.find({ _id: { $in: ids.map((id) => key(jobId, id)) } }).toArray();
        return new Map(found.map((entry) => [entry.document_id, fromStored(entry)]));
      }),
    record: (jobId, added) =>
      guard(async () => {
        if (added.length === 0) return;
        await ready();
        await entries.bulkWrite(
          added.map(({ id, indexes, ...entry }) => ({
            replaceOne: {
              filter: { _id: key(jobId, id) },
              replacement: {
                ...entry,
                job_id: jobId,
                document_id: id,
                indexes: Object.entries(indexes),
                seen_run: entry.run_id,
              },
              upsert: true,
            },
          })),
          { ordered: false },
        );
      }),
    markSeen: (jobId, runId, ids) =>
      guard(async () => {
        if (ids.length === 0) return;
        await entries.updateMany({ _id: { $in: ids.map((id) => key(jobId, id)) } }, { $set: { seen_run: runId } });
      }),
    listGone: (jobId, runId) =>
      guard(async () => {
        await ready();
        const gone = await entries
          .find({ job_id: jobId, seen_run: { $ne: runId } }, { projection: { document_id: 1, name: 1 } })
          .toArray();
        return gone.map(({ document_id, name }) => ({ id: document_id, name }));
      }),
    holds: (jobId) => guard(async () => (await entries.findOne({ job_id: jobId })) !== null),
    remove: (jobId, ids) =>
      guard(async () => {
        for (let start = 0; start < ids.length; start += page) {
          await entries.deleteMany({ _id: { $in: ids.slice(start, start + page).map((id) => key(jobId, id)) } });
        }
      }),
  };
}

function fromStored(entry: StoredEntry): LedgerEntry {
  const {
    document_id: id,
    name,
    size,
    modified_time,
    content_hash,
    source_version,
    acl_hash,
    status,
    indexes,
    plan_hash,
    run_id,
  } = entry;
  return {
    id,
    name,
    size,
    modified_time,
    content_hash,
    ...(source_version === undefined || source_version === null ? {} : { source_version }),
    acl_hash,
    status,
    indexes: Object.fromEntries(indexes),
    plan_hash,
    run_id,
  };
}
