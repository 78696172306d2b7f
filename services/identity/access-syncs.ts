import type { Collection } from 'mongodb';
import { toStalePrincipal } from '../../model/access-list';
import type { AccessSyncCounts } from '../../model/identity/sync';
import type { AccessSyncState } from '../../model/identity/wire-sync';
import { shareNextResult } from '../pacing/request-batching';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';

/** A job whose access lists are kept up to date between runs. */
export interface AccessSync {
  job_id: string;
  flow_id: string;
  /** The latest completed run, whose sources the sync lists. */
  run_id: string;
  every_minutes: number;
  /** The documents are closed if the lists are older; absent if they stay readable. */
  closes_after_minutes?: number;
  /** Time of the last complete listing of the sources. */
  synced_at: string;
  /** Time of the last attempt. */
  tried_at: string;
  counts?: AccessSyncCounts;
  error?: { at: string; code: string; message: string };
}

/** The jobs to synchronize, and the results of their last syncs. */
export interface AccessSyncs {
  /** Called at the end of a run, which has read all lists itself. */
  register(
    sync: Pick<AccessSync, 'job_id' | 'flow_id' | 'run_id' | 'every_minutes' | 'closes_after_minutes' | 'synced_at'>,
  ): Promise<void>;
  remove(jobId: string): Promise<void>;
  get(jobId: string): Promise<AccessSync | undefined>;
  listByFlow(flowId: string): Promise<AccessSync[]>;
  /** Ids of all jobs. */
  listJobs(): Promise<string[]>;
  /** Ids of jobs whose last attempt is older than their sync interval. */
  listDue(now: Date): Promise<string[]>;
  /** The principals of everybody while documents of jobs are closed, because their access lists are too old. */
  listStalePrincipals(now: Date): Promise<string[]>;
  /**
   * Records documents whose rights cannot be read, with the time since when, which is at most `at`. Returns that time
   * by document.
   */
  noteUnknown(jobId: string, ids: readonly string[], at: string): Promise<Map<string, string>>;
  /** The rights of these documents can be read. */
  noteKnown(jobId: string, ids: readonly string[]): Promise<void>;
  recordSuccess(jobId: string, startedAt: string, counts: AccessSyncCounts): Promise<void>;
  recordFailure(jobId: string, error: NonNullable<AccessSync['error']>): Promise<void>;
}

type Stored = Omit<AccessSync, 'job_id'> & { _id: string };
interface Unknown {
  _id: string;
  job_id: string;
  since: string;
}
const minuteMs = 60_000;
/** Workers look for due syncs once a minute, so a sync may be that late. */
const graceSeconds = 60;

/** Access syncs in MongoDB. */
export function createAccessSyncs(mongo: Mongo): AccessSyncs {
  const syncs = mongo.collection<Stored>('access_syncs');
  const unknown = mongo.collection<Unknown>('access_unknown');
  const whenReady = createWhenReady(async () => {
    await syncs.createIndex({ flow_id: 1 });
    await unknown.createIndex({ job_id: 1 });
  });
  const readClosing = shareNextResult(() =>
    syncs
      .find({ closes_after_minutes: { $exists: true } }, { projection: { closes_after_minutes: 1, synced_at: 1 } })
      .toArray(),
  );
  return {
    register: ({ job_id: _id, ...facts }) =>
      whenReady(async () => {
        await syncs.replaceOne({ _id }, { ...facts, tried_at: facts.synced_at }, { upsert: true });
      }),
    remove: (jobId) =>
      guard(async () => {
        await syncs.deleteOne({ _id: jobId });
        await unknown.deleteMany({ job_id: jobId });
      }),
    ...createUnknownNotes(unknown),
    get: (jobId) =>
      guard(async () => {
        const sync = await syncs.findOne({ _id: jobId });
        return sync ? readStored(sync) : undefined;
      }),
    listByFlow: (flowId) => guard(async () => (await syncs.find({ flow_id: flowId }).toArray()).map(readStored)),
    listJobs: () =>
      guard(async () => (await syncs.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)),
    listDue: (now) =>
      guard(async () => {
        const all = await syncs.find({}, { projection: { every_minutes: 1, tried_at: 1 } }).toArray();
        return all.filter((item) => isSyncDue(item.tried_at, item.every_minutes, now)).map(({ _id }) => _id);
      }),
    listStalePrincipals: (now) =>
      guard(async () => {
        const all = await readClosing('all');
        return all.filter((item) => isClosed(item, now)).map(({ _id }) => toStalePrincipal(_id));
      }),
    recordSuccess: (jobId, startedAt, counts) =>
      guard(async () => {
        const set = { synced_at: startedAt, tried_at: startedAt, counts };
        await syncs.updateOne({ _id: jobId, synced_at: { $lte: startedAt } }, { $set: set, $unset: { error: '' } });
      }),
    recordFailure: (jobId, error) =>
      guard(async () => void (await syncs.updateOne({ _id: jobId }, { $set: { error, tried_at: error.at } }))),
  };
}

/** Documents whose rights cannot be read, with the time since when. */
function createUnknownNotes(unknown: Collection<Unknown>): Pick<AccessSyncs, 'noteUnknown' | 'noteKnown'> {
  return {
    noteUnknown: (jobId, ids, at) =>
      guard(async () => {
        if (ids.length === 0) return new Map();
        const keys = ids.map((id) => `${jobId}/${id}`);
        await unknown.bulkWrite(
          keys.map((_id) => ({
            updateOne: { filter: { _id }, update: { $setOnInsert: { job_id: jobId, since: at } }, upsert: true },
          })),
          { ordered: false },
        );
        const notes = await unknown.find({ _id: { $in: keys } }).toArray();
        return new Map(notes.map(({ _id, since }) => [_id.slice(jobId.length + 1), since]));
      }),
    noteKnown: (jobId, ids) =>
      guard(async () => {
        if (ids.length === 0 || (await unknown.findOne({ job_id: jobId })) === null) return;
        await unknown.deleteMany({ _id: { $in: ids.map((id) => `${jobId}/${id}`) } });
      }),
  };
}

/** True after the interval; also if the time is later than now, because the clock was set back since. */
export function isSyncDue(lastAt: string | undefined, everyMinutes: number, now: Date): boolean {
  if (lastAt === undefined) return true;
  const elapsedMs = now.getTime() - Date.parse(lastAt);
  return elapsedMs >= everyMinutes * minuteMs || elapsedMs < -minuteMs;
}

/** True if nobody may read the documents of the job, because their access lists are too old. */
function isClosed(
  { closes_after_minutes: maxMinutes, synced_at }: Pick<AccessSync, 'closes_after_minutes' | 'synced_at'>,
  now: Date,
) {
  return maxMinutes !== undefined && now.getTime() - Date.parse(synced_at) > maxMinutes * minuteMs;
}

/** The state of a sync as shown to readers. */
export function describeAccessSync(sync: AccessSync, now: Date): AccessSyncState {
  const age = Math.max(0, Math.floor((now.getTime() - Date.parse(sync.synced_at)) / 1_000));
  return {
    job_id: sync.job_id,
    every_minutes: sync.every_minutes,
    synced_at: sync.synced_at,
    age_seconds: age,
    is_fresh: age <= sync.every_minutes * 60 + graceSeconds,
    closes_after_minutes: sync.closes_after_minutes ?? null,
    is_closed: isClosed(sync, now),
    counts: sync.counts ?? null,
    error: sync.error ?? null,
  };
}

function readStored({ _id, ...sync }: Stored): AccessSync {
  return { job_id: _id, ...sync };
}
