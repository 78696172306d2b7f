import { hash } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import type { User } from '../../model/access';
import { iterateBatches } from '../../model/lists/batches';
import type { FailedDocumentReply } from '../../model/run/wire-failures';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import type { RunDocument, RunRecord } from './run-record';

/**
 * A document whose latest attempt failed, in any run. `id` identifies it within its job in all runs. State `left_out`: runs skip it
 * until it changes; `ignored`: runs retry it, and it stays ignored while the code is the same.
 */
export type FailedDocument = FailedDocumentReply;
export type FailureState = FailedDocument['state'];

/** The grouping of failed documents. */
export type FailureGroup = 'code' | 'operator' | 'flow_id';

/** Selects failed documents. `everyone` is set for administrators. */
export interface FailureFilter {
  everyone?: boolean;
  ids?: readonly string[];
  code?: string;
  operator?: string;
  flow_id?: string;
  state?: FailureState;
}

/** Documents whose latest attempt failed, over all runs. Writes are keyed by job and document. */
export interface Failures {
  /** Records the failures of the run, and deletes those of documents that are now settled. */
  record(run: RunRecord, failed: readonly RunDocument[], settled: readonly string[]): Promise<void>;
  /** Latest failure first. */
  list(
    user: User,
    filter: FailureFilter,
    page: { limit: number; offset: number },
  ): Promise<{ items: FailedDocument[]; total: number }>;
  /** Only of runs of the user's own. */
  get(user: User, id: string): Promise<(FailedDocument & { job_id: string }) | undefined>;
  /** The ids of these documents of a job by `document_id`, if their latest attempt failed in a run of the user's own. */
  findIds(user: User, jobId: string, documentIds: readonly string[]): Promise<Map<string, string>>;
  /** Number of documents per group, largest first. `name` is the flow's name when grouped by flow. */
  countByGroup(
    user: User,
    filter: FailureFilter,
    by: FailureGroup,
  ): Promise<{ key: string; name: string; count: number }[]>;
  /** Makes runs skip the documents until they change, or process them again. Returns the number of documents affected. */
  setState(user: User, filter: FailureFilter, state: FailureState): Promise<number>;
  /** Ignores failed documents, or lists them as failed again. Returns the number of documents affected. */
  setIgnored(user: User, filter: FailureFilter, isIgnored: boolean): Promise<number>;
  /** Deletes the failures of these documents of the job. Returns their number. */
  forget(jobId: string, documentIds: readonly string[]): Promise<number>;
  /** Deletes the failures of all documents of the job. */
  forgetJob(jobId: string): Promise<void>;
}

interface StoredFailure extends Omit<FailedDocument, 'id'> {
  _id: string;
  job_id: string;
}
interface StoredEntry {
  _id: string;
  status: string;
}

/** Maximum documents per change. */
const maxFailures = 10_000;

/** Stores failed documents in MongoDB. The ledger, which runs read, records the skipped ones. */
export function createFailures(mongo: Mongo): Failures {
  const failures = mongo.collection<StoredFailure>('failed_documents');
  const ledger = mongo.collection<StoredEntry>('ledger');
  const whenReady = createWhenReady(async () => {
    await failures.createIndex({ owner: 1, failed_at: -1 });
    await failures.createIndex({ failed_at: -1 });
    await failures.createIndex({ job_id: 1 });
    // Everything that is counted, so that no document has to be read for it.
    await failures.createIndex(
      { owner: 1, state: 1, code: 1, operator: 1, flow_id: 1, flow_name: 1, failed_at: 1 },
      { name: 'counts' },
    );
  });
  return {
    record: (run, failed, settled) =>
      whenReady(async () => {
        if (settled.length > 0)
          await failures.deleteMany({ _id: { $in: settled.map((id) => getDocumentKey(run.job_id, id)) } });
        if (failed.length === 0) return;
        await recordFailed(failures, run, failed);
      }),
    list: (user, filter, page) => whenReady(() => listFailed(failures, buildFilter(user, filter), page)),
    get: (user, id) =>
      guard(async () => {
        const failure = await failures.findOne({ _id: id, owner: user.username });
        return failure ? { ...readStored(failure), job_id: failure.job_id } : undefined;
      }),
    findIds: (user, jobId, documentIds) => guard(() => findIds(failures, { user, jobId, documentIds })),
    countByGroup: (user, filter, by) => whenReady(() => countGroups(failures, buildFilter(user, filter), by)),
    setState: (user, filter, state) =>
      whenReady(() => setState({ failures, ledger }, buildFilter(user, filter), state)),
    setIgnored: (user, filter, isIgnored) =>
      whenReady(async () => {
        const [before, after] = isIgnored ? (['failed', 'ignored'] as const) : (['ignored', 'failed'] as const);
        return setIgnored(failures, buildFilter(user, { ...filter, state: before }), after);
      }),
    forget: (jobId, documentIds) => whenReady(() => forget(failures, jobId, documentIds)),
    forgetJob: (jobId) =>
      whenReady(async () => {
        await failures.deleteMany({ job_id: jobId });
      }),
  };
}

/**
 * Counts the failures by time first, which takes an index only, and then reads those whose times are on the page. Otherwise, the
 * embedded database sorts all failures for each page.
 */
async function listFailed(
  failures: Collection<StoredFailure>,
  filter: Filter<StoredFailure>,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: FailedDocument[]; total: number }> {
  const counted = await failures
    .aggregate<{ _id: string; count: number }>([
      { $match: filter },
      { $group: { _id: '$failed_at', count: { $sum: 1 } } },
    ])
    .toArray();
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const times: string[] = [];
  let before = 0;
  let skipped = 0;
  for (const { _id: time, count } of counted.toSorted((item, other) => (item._id < other._id ? 1 : -1))) {
    if (before >= offset + limit) break;
    if (before + count > offset) times.push(time);
    else skipped += count;
    before += count;
  }
  if (times.length === 0) return { items: [], total };
  const items = await failures
    .find({ ...filter, failed_at: { $in: times } })
    .sort({ failed_at: -1, _id: 1 })
    .skip(offset - skipped)
    .limit(limit)
    .toArray();
  return { items: items.map(readStored), total };
}

async function forget(
  failures: Collection<StoredFailure>,
  jobId: string,
  documentIds: readonly string[],
): Promise<number> {
  let forgotten = 0;
  for (const batch of iterateBatches(documentIds, maxFailures)) {
    const keys = batch.map((id) => getDocumentKey(jobId, id));
    forgotten += (await failures.deleteMany({ _id: { $in: keys } })).deletedCount;
  }
  return forgotten;
}

async function findIds(
  failures: Collection<StoredFailure>,
  { user, jobId, documentIds }: { user: User; jobId: string; documentIds: readonly string[] },
): Promise<Map<string, string>> {
  const ids = documentIds.map((id) => getDocumentKey(jobId, id));
  const selected = await failures
    .find({ _id: { $in: ids }, owner: user.username }, { projection: { document_id: 1 } })
    .toArray();
  return new Map(selected.map(({ _id, document_id }) => [document_id, _id]));
}

async function countGroups(
  failures: Collection<StoredFailure>,
  filter: Filter<StoredFailure>,
  by: FailureGroup,
): Promise<{ key: string; name: string; count: number }[]> {
  const counted = await failures
    .aggregate<{ _id: { key: string; name: string }; count: number }>([
      { $match: filter },
      { $group: { _id: { key: `$${by}`, name: by === 'flow_id' ? '$flow_name' : `$${by}` }, count: { $sum: 1 } } },
    ])
    .toArray();
  const groups = new Map<string, { key: string; name: string; count: number }>();
  // A flow whose name was changed has documents with either name.
  for (const { _id, count } of counted)
    groups.set(_id.key, { ..._id, count: count + (groups.get(_id.key)?.count ?? 0) });
  return [...groups.values()].toSorted((item, other) => other.count - item.count || (item.key < other.key ? -1 : 1));
}

async function recordFailed(
  failures: Collection<StoredFailure>,
  run: RunRecord,
  failed: readonly RunDocument[],
): Promise<void> {
  const now = new Date().toISOString();
  const { job_id, flow_id, flow_name, owner, job_run_id } = run;
  const keys = failed.map(({ id }) => getDocumentKey(job_id, id));
  const ignored = await failures.find({ _id: { $in: keys }, state: 'ignored' }, { projection: { code: 1 } }).toArray();
  const ignoredCodes = new Map(ignored.map(({ _id, code }) => [_id, code]));
  await failures.bulkWrite(
    failed.map(({ id, name, operator, code, message }) => ({
      updateOne: {
        filter: { _id: getDocumentKey(job_id, id) },
        update: {
          $set: {
            job_id,
            document_id: id,
            name,
            flow_id,
            flow_name,
            owner,
            job_run_id,
            operator,
            code,
            message,
            failed_at: now,
            state: ignoredCodes.get(getDocumentKey(job_id, id)) === code ? ('ignored' as const) : ('failed' as const),
          },
          $setOnInsert: { first_failed_at: now },
        },
        upsert: true,
      },
    })),
    { ordered: false },
  );
}

/** Skips documents that could not be read: they have no ledger entry, so nothing shows whether they changed. */
async function setState(
  { failures, ledger }: { failures: Collection<StoredFailure>; ledger: Collection<StoredEntry> },
  filter: Filter<StoredFailure>,
  state: FailureState,
): Promise<number> {
  const records = await failures
    .find(filter, { projection: { job_id: 1, document_id: 1 } })
    .limit(maxFailures)
    .toArray();
  const entries = records.map(({ job_id, document_id }) => `${job_id}/${document_id}`);
  const status = state === 'left_out' ? 'left_out' : 'failed';
  await ledger.updateMany({ _id: { $in: entries }, status: { $in: ['failed', 'left_out'] } }, { $set: { status } });
  const noted = await ledger.find({ _id: { $in: entries }, status }, { projection: { _id: 1 } }).toArray();
  const knownIds = new Set(noted.map(({ _id }) => _id));
  const ids = records
    .filter(({ job_id, document_id }) => knownIds.has(`${job_id}/${document_id}`))
    .map(({ _id }) => _id);
  await failures.updateMany({ _id: { $in: ids } }, { $set: { state } });
  return ids.length;
}

async function setIgnored(
  failures: Collection<StoredFailure>,
  filter: Filter<StoredFailure>,
  state: FailureState,
): Promise<number> {
  const records = await failures
    .find(filter, { projection: { _id: 1 } })
    .limit(maxFailures)
    .toArray();
  const ids = records.map(({ _id }) => _id);
  await failures.updateMany({ ...filter, _id: { $in: ids } }, { $set: { state } });
  return ids.length;
}

/** The key of one document of a job. */
export function getDocumentKey(jobId: string, documentId: string): string {
  return hash('sha256', JSON.stringify([jobId, documentId]), 'base64url');
}

function buildFilter(user: User, { everyone, ids, code, operator, flow_id, state }: FailureFilter) {
  return {
    ...(everyone ? {} : { owner: user.username }),
    ...(ids ? { _id: { $in: [...ids] } } : {}),
    ...(code === undefined ? {} : { code }),
    ...(operator === undefined ? {} : { operator }),
    ...(flow_id === undefined ? {} : { flow_id }),
    ...(state === undefined ? {} : { state }),
  };
}

function readStored({ _id, job_id: _job, ...failure }: StoredFailure): FailedDocument {
  return { id: _id, ...failure };
}
