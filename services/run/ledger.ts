import type { Collection, Filter } from 'mongodb';
import type { Reader } from '../../model/access';
import { type StoredAccess, toStoredAccess } from '../../model/access-list';
import { iterateBatches } from '../../model/lists/batches';
import { addToList } from '../../model/multi-map';
import { guard, type Mongo, createWhenReady, type WhenReady } from '../storage/mongo';
import { createReadableFilter } from '../storage/readable';
import { createTombstones } from './tombstones';

/** The ledger entry of a document that a job has ingested. */
export interface LedgerEntry {
  id: string;
  name: string;
  size: number;
  modified_time: string;
  content_hash: string;
  /** The `version` of the source entry; empty if the source has none. */
  source_version?: string;
  /** The `acl_hash` of the row. A changed access list alone causes another ingest. */
  acl_hash: string;
  /** `left_out`: the document failed and is skipped until it changes. */
  status: 'done' | 'failed' | 'left_out';
  /** UUIDs by index name. A lost or recreated index causes another ingest. */
  indexes: Record<string, string>;
  /** Hash of the operators' configuration when the document was ingested. */
  plan_hash: string;
  run_id: string;
  /** The access list of the document, and the owner of the run that ingested it. Absent in entries of earlier versions. */
  allowed_users?: string[];
  allowed_principals?: string[];
  denied_principals?: string[];
  required_lists?: string[];
  owner?: string;
  mimetype?: string;
  /**
   * False when every reader of the document may see all of its text. Absent, and therefore unknown, in entries of earlier
   * versions.
   */
  withholds_text?: boolean;
  /** Of a file within a file: the id of the file of the source. */
  parent_id?: string;
  /** Number of files within the file of the source, itself or its parent; absent if it was not searched. */
  member_count?: number;
  /** The name of the source operator that last listed the document. Absent in entries of earlier versions. */
  source_operator?: string;
  /** Set when the document is a file of a document library. */
  library_file?: { library_id: string; file_id: string };
}

/** The documents that a job ingested, kept between runs and keyed by job id and document id. All calls are idempotent. */
export interface Ledger {
  lookup(jobId: string, ids: readonly string[]): Promise<Map<string, LedgerEntry>>;
  /** The entries of the files within files, by the ids of the latter. */
  listMembers(jobId: string, parentIds: readonly string[]): Promise<Map<string, LedgerEntry[]>>;
  record(jobId: string, entries: readonly LedgerEntry[]): Promise<void>;
  /** Records that the listing of this run contains these documents, and which source operator listed them. */
  markSeen(jobId: string, runId: string, ids: readonly string[], sourceOperator?: string): Promise<void>;
  /**
   * Documents of earlier runs that are missing in the listings of this run. Includes only documents that all `readers` could read: a run
   * cannot tell whether others are missing. Excludes those of `otherSources`, which may not have been listed yet.
   */
  listGone(
    jobId: string,
    runId: string,
    readers: readonly Reader[],
    otherSources?: readonly string[],
  ): Promise<{ id: string; name: string }[]>;
  remove(jobId: string, ids: readonly string[]): Promise<void>;
  /** Whether the ledger contains any document of the job. */
  hasDocuments(jobId: string): Promise<boolean>;
  /** The entries of a document, in every job that ingested one with this id. */
  find(documentId: string): Promise<(LedgerEntry & { job_id: string })[]>;
  /** The entries of documents with this content, in all jobs. */
  findByContent(contentHash: string): Promise<(LedgerEntry & { job_id: string })[]>;
  /** The ids of all documents of a job. */
  listIds(jobId: string): Promise<string[]>;
  /** Returns which of these documents were removed. Runs skip them and record nothing about them. */
  listRemoved(jobId: string, ids: readonly string[]): Promise<Set<string>>;
}

/** `_id` is `<job id>/<document id>`. Indexes are pairs because index names may contain dots. */
interface StoredEntry extends Omit<LedgerEntry, 'indexes' | 'id' | 'required_lists'> {
  _id: string;
  job_id: string;
  document_id: string;
  indexes: [string, string][];
  /** As objects, whose principals a query can compare. */
  required_lists?: StoredAccess['required_lists'];
  /** The last run whose listing contained the document. */
  seen_run: string;
}

/** Entries that are deleted at a time. */
const batchSize = 1_000;

/** Stores the ledger in MongoDB. */
export function createLedger(mongo: Mongo): Ledger {
  const entries = mongo.collection<StoredEntry>('ledger');
  const tombstones = createTombstones(mongo);
  const whenReady = createWhenReady(async () => {
    await entries.createIndex({ job_id: 1, seen_run: 1 });
    await entries.createIndex({ document_id: 1 });
    await entries.createIndex({ content_hash: 1 });
    await entries.createIndex({ job_id: 1, parent_id: 1 });
  });
  const buildKey = (jobId: string, id: string) => `${jobId}/${id}`;

  return {
    lookup: (jobId, ids) =>
      guard(async () => {
        const storedEntries = await entries.find({ _id: { $in: ids.map((id) => buildKey(jobId, id)) } }).toArray();
        return new Map(storedEntries.map((entry) => [entry.document_id, readStored(entry)]));
      }),
    record: (jobId, added) =>
      guard(async () => {
        const removed = await tombstones.among(jobId, listIds(added));
        const addedEntries = added.filter(({ id }) => !removed.has(id));
        if (addedEntries.length === 0) return;
        await whenReady();
        await entries.bulkWrite(
          addedEntries.map((entry) => ({
            replaceOne: {
              filter: { _id: buildKey(jobId, entry.id) },
              replacement: toStored(jobId, entry),
              upsert: true,
            },
          })),
          { ordered: false },
        );
      }),
    markSeen: (jobId, runId, ids, operator) =>
      guard(async () => {
        if (ids.length === 0) return;
        const seen = { seen_run: runId, ...(operator === undefined ? {} : { source_operator: operator }) };
        await entries.updateMany({ _id: { $in: ids.map((id) => buildKey(jobId, id)) } }, { $set: seen });
      }),
    listGone: (jobId, runId, readers, otherSources = []) =>
      whenReady(async () => {
        const gone = await entries
          .find(buildGoneFilter({ jobId, runId, otherSources }, readers), { projection: { document_id: 1, name: 1 } })
          .toArray();
        return gone.map(({ document_id, name }) => ({ id: document_id, name }));
      }),
    hasDocuments: (jobId) => guard(async () => (await entries.findOne({ job_id: jobId })) !== null),
    ...createQueries(entries, whenReady),
    listRemoved: tombstones.among,
    remove: (jobId, ids) =>
      guard(async () => {
        for (const batch of iterateBatches(ids, batchSize)) {
          const keys = batch.map((id) => buildKey(jobId, id));
          await entries.deleteMany({ _id: { $in: keys } });
        }
      }),
  };
}

/** Questions over all jobs, and over all documents of one. */
function createQueries(
  entries: Collection<StoredEntry>,
  whenReady: WhenReady,
): Pick<Ledger, 'find' | 'findByContent' | 'listIds' | 'listMembers'> {
  const find = (filter: Filter<StoredEntry>) =>
    whenReady(async () => {
      const storedEntries = await entries.find(filter).toArray();
      return storedEntries.map((entry) => ({ ...readStored(entry), job_id: entry.job_id }));
    });
  return {
    listMembers: async (jobId, parentIds) => {
      const members = new Map<string, LedgerEntry[]>();
      for (const { job_id: _job, ...entry } of await find({ job_id: jobId, parent_id: { $in: [...parentIds] } }))
        addToList(members, entry.parent_id!, entry);
      return members;
    },
    find: (documentId) => find({ document_id: documentId }),
    findByContent: (contentHash) => find({ content_hash: contentHash }),
    listIds: (jobId) =>
      whenReady(async () => {
        const records = await entries.find({ job_id: jobId }, { projection: { document_id: 1 } }).toArray();
        return records.map(({ document_id }) => document_id);
      }),
  };
}

function buildGoneFilter(
  { jobId, runId, otherSources }: { jobId: string; runId: string; otherSources: readonly string[] },
  readers: readonly Reader[],
): Filter<StoredEntry> {
  const unseen = {
    job_id: jobId,
    seen_run: { $ne: runId },
    ...(otherSources.length === 0 ? {} : { source_operator: { $nin: [...otherSources] } }),
  };
  return readers.length === 0
    ? unseen
    : { $and: [unseen, ...readers.map((reader) => createReadableFilter<StoredEntry>(reader))] };
}

function listIds(entries: readonly LedgerEntry[]): string[] {
  return entries.map(({ id }) => id);
}

function toStored(jobId: string, { id, indexes, required_lists, ...entry }: LedgerEntry): Omit<StoredEntry, '_id'> {
  const { required_lists: required } = toStoredAccess({ required_lists: required_lists ?? [] });
  return {
    ...entry,
    ...(required ? { required_lists: required } : {}),
    job_id: jobId,
    document_id: id,
    indexes: Object.entries(indexes),
    seen_run: entry.run_id,
  };
}

function readStored(entry: StoredEntry): LedgerEntry {
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
    allowed_users,
    allowed_principals,
    denied_principals,
    required_lists,
    owner,
    mimetype,
    withholds_text,
    library_file,
    parent_id,
    member_count,
    source_operator,
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
    ...(allowed_users ? { allowed_users } : {}),
    ...(allowed_principals ? { allowed_principals } : {}),
    ...(denied_principals ? { denied_principals } : {}),
    ...(required_lists ? { required_lists: required_lists.map(({ principals }) => JSON.stringify(principals)) } : {}),
    ...(owner === undefined ? {} : { owner }),
    ...(mimetype === undefined ? {} : { mimetype }),
    ...(withholds_text === undefined ? {} : { withholds_text }),
    ...(library_file ? { library_file } : {}),
    ...(typeof parent_id === 'string' ? { parent_id } : {}),
    ...(typeof member_count === 'number' ? { member_count } : {}),
    ...(typeof source_operator === 'string' ? { source_operator } : {}),
  };
}
