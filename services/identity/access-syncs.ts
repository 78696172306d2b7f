import type { AccessSyncCounts } from '../../model/identity/sync';
import type { AccessSyncState } from '../../model/identity/wire-sync';
import { guard, type Mongo, onceReady } from '../storage/mongo';

/** A job whose access lists are kept up to date between runs. */
export interface AccessSync {
  job_id: string;
  flow_id: string;
  /** The latest completed run, whose sources the sync lists. */
  run_id: string;
  every_minutes: number;
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
  register(sync: Pick<AccessSync, 'job_id' | 'flow_id' | 'run_id' | 'every_minutes' | 'synced_at'>): Promise<void>;
  remove(jobId: string): Promise<void>;
  get(jobId: string): Promise<AccessSync | undefined>;
  ofFlow(flowId: string): Promise<AccessSync[]>;
  /** Ids of all jobs. */
  jobs(): Promise<string[]>;
  /** Ids of jobs whose last attempt is older than their sync interval. */
  due(now: Date): Promise<string[]>;
  succeeded(jobId: string, startedAt: string, counts: AccessSyncCounts): Promise<void>;
  failed(jobId: string, error: NonNullable<AccessSync['error']>): Promise<void>;
}

type Stored = Omit<AccessSync, 'job_id'> & { _id: string };
const minuteMs = 60_000;

/** Access syncs in MongoDB. */
export function createAccessSyncs(mongo: Mongo): AccessSyncs {
  const syncs = mongo.collection<Stored>('access_syncs');
  const ready = onceReady(() => syncs.createIndex({ flow_id: 1 }));
  return {
    register: ({ job_id: _id, ...facts }) =>
      guard(async () => {
        await ready();
        await syncs.replaceOne({ _id }, { ...facts, tried_at: facts.synced_at }, { upsert: true });
      }),
    remove: (jobId) => guard(async () => void (await syncs.deleteOne({ _id: jobId }))),
    get: (jobId) =>
      guard(async () => {
        const found = await syncs.findOne({ _id: jobId });
        return found ? fromStored(found) : undefined;
      }),
    ofFlow: (flowId) => guard(async () => (await syncs.find({ flow_id: flowId }).toArray()).map(fromStored)),
    jobs: () => guard(async () => (await syncs.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)),
    due: (now) =>
      guard(async () => {
        const all = await syncs.find({}, { projection: { every_minutes: 1, tried_at: 1 } }).toArray();
        return all
          .filter((one) => now.getTime() - Date.parse(one.tried_at) >= one.every_minutes * minuteMs)
          .map(({ _id }) => _id);
      }),
    succeeded: (jobId, startedAt, counts) =>
      guard(async () => {
        const set = { synced_at: startedAt, tried_at: startedAt, counts };
        await syncs.updateOne({ _id: jobId, synced_at: { $lte: startedAt } }, { $set: set, $unset: { error: '' } });
      }),
    failed: (jobId, error) =>
      guard(async () => void (await syncs.updateOne({ _id: jobId }, { $set: { error, tried_at: error.at } }))),
  };
}

/** The state of a sync as shown to readers. */
export function describeAccessSync(sync: AccessSync, now: Date): AccessSyncState {
  const age = Math.max(0, Math.floor((now.getTime() - Date.parse(sync.synced_at)) / 1_000));
  return {
    job_id: sync.job_id,
    every_minutes: sync.every_minutes,
    synced_at: sync.synced_at,
    age_seconds: age,
    is_fresh: age <= sync.every_minutes * 60 + 60,
    counts: sync.counts ?? null,
    error: sync.error ?? null,
  };
}

function fromStored({ _id, ...rest }: Stored): AccessSync {
  return { job_id: _id, ...rest };
}
