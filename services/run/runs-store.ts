import { createHash } from 'node:crypto';
import { finalStates, type RunState } from '../../model/run/run';
import { guard, isDuplicate, type Mongo, onceReady } from '../storage/mongo';
import type { SealedCollection } from '../storage/rotation';
import type { Sealer } from '../storage/sealer';
import type { RunRecord, RunsStore } from './run-record';
import type { RunQuery } from './facts';
import type { User } from '../../model/access';
import { createMongoRunStats } from './stats';
import type { RunStats } from './run-stats';

/** The stored form. Snapshot and metadata are JSON text because their keys may contain dots. */
interface StoredRun extends Omit<RunRecord, 'job_run_id' | 'snapshot' | 'metadata'> {
  _id: string;
  snapshot: string;
  metadata: string;
}
interface Lock {
  _id: string;
  run_id: string;
}

const final = [...finalStates] as RunState[];

/** Stores run records in MongoDB, and their statistics in `stats`. A final record never changes again. */
export function createRunsStore(mongo: Mongo, stats: RunStats = createMongoRunStats(mongo)): RunsStore {
  const runs = mongo.collection<StoredRun>('job_runs');
  const locks = mongo.collection<Lock>('job_locks');
  /** Idempotency keys: `_id` is the hash of owner and key. */
  const keys = mongo.collection<Lock>('run_keys');
  const ready = onceReady(async () => {
    await runs.createIndex({ owner: 1, created_at: -1 });
    await runs.createIndex({ job_id: 1, created_at: -1 });
    await runs.createIndex({ status: 1, created_at: 1 });
    await runs.createIndex({ tables_removed_at: 1, ended_at: 1 });
  });
  /** The id of the run: its own, or that of an earlier request with the same idempotency key. */
  const claim = async (run: RunRecord): Promise<string> => {
    if (run.idempotency_key === undefined) return run.job_run_id;
    const _id = keyId(run.owner, run.idempotency_key);
    try {
      await keys.insertOne({ _id, run_id: run.job_run_id });
      return run.job_run_id;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return (await keys.findOne({ _id }))?.run_id ?? run.job_run_id;
    }
  };

  return {
    ...stats,
    create: (run) =>
      guard(async () => {
        await ready();
        const made = { ...run, job_run_id: await claim(run) };
        try {
          await runs.insertOne(toStored(made, mongo.sealer));
          return made;
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        const earlier = await runs.findOne({ _id: made.job_run_id });
        return earlier ? fromStored(earlier, mongo.sealer) : made;
      }),
    get: (runId) =>
      guard(async () => {
        const stored = await runs.findOne({ _id: runId });
        return stored ? fromStored(stored, mongo.sealer) : undefined;
      }),
    list: (user, query) =>
      guard(async () => {
        await ready();
        const filter = filterOf(user, query);
        const total = await runs.countDocuments(filter);
        const items = await runs
          .find(filter)
          .sort({ created_at: -1, _id: 1 })
          .skip(query.offset)
          .limit(query.limit)
          .toArray();
        return { items: items.map((item) => fromStored(item, mongo.sealer)), total };
      }),
    update: (runId, change) =>
      guard(async () => {
        await runs.updateOne({ _id: runId, status: { $nin: final } }, { $set: change });
        const stored = await runs.findOne({ _id: runId });
        return stored ? fromStored(stored, mongo.sealer) : undefined;
      }),
    remove: (runId) =>
      guard(async () => {
        await stats.removeStats(runId);
        const removed = await runs.findOneAndDelete({ _id: runId });
        if (removed?.idempotency_key !== undefined)
          await keys.deleteOne({ _id: keyId(removed.owner, removed.idempotency_key), run_id: runId });
      }),
    openRuns: (before, limit, after = '') =>
      guard(async () => {
        await ready();
        const found = await runs
          .find({ status: { $nin: final }, created_at: { $lt: before, $gt: after } })
          .sort({ created_at: 1 })
          .limit(limit)
          .toArray();
        return found.map((item) => fromStored(item, mongo.sealer));
      }),
    expiredRuns: (before, limit) =>
      guard(async () => {
        await ready();
        const found = await runs
          .find({ tables_removed_at: { $exists: false }, ended_at: { $lt: before }, status: { $in: final } })
          .limit(limit)
          .toArray();
        return found.map((item) => fromStored(item, mongo.sealer));
      }),
    tablesRemoved: (runId, at) =>
      guard(async () => void (await runs.updateOne({ _id: runId }, { $set: { tables_removed_at: at } }))),
    jobInUse: (jobId) =>
      guard(async () => (await runs.countDocuments({ job_id: jobId, tables_removed_at: { $exists: false } })) > 0),
    isJobActive: (jobId, before) =>
      guard(async () => {
        const filter = { job_id: jobId, status: { $nin: final }, created_at: { $lte: before } };
        return (await runs.countDocuments(filter, { limit: 1 })) > 0;
      }),
    acquireJob: (jobId, runId) =>
      guard(async () => {
        try {
          await locks.insertOne({ _id: jobId, run_id: runId });
          return { acquired: true, holder: runId };
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        const lock = await locks.findOne({ _id: jobId });
        return { acquired: lock?.run_id === runId, holder: lock?.run_id ?? '' };
      }),
    releaseJob: (jobId, runId) => guard(async () => void (await locks.deleteOne({ _id: jobId, run_id: runId }))),
    replaceHolder: (jobId, holder, runId) =>
      guard(async () => {
        const { modifiedCount } = await locks.updateOne({ _id: jobId, run_id: holder }, { $set: { run_id: runId } });
        return modifiedCount === 1;
      }),
  };
}

function filterOf(user: User, query: RunQuery) {
  const { everyone, owner, jobId, flowId, projectId, status, createdFrom, createdTo } = query;
  const created = { ...(createdFrom ? { $gte: createdFrom } : {}), ...(createdTo ? { $lt: createdTo } : {}) };
  return {
    ...(everyone ? {} : { owner: user.username }),
    // Both owner conditions apply, so that only administrators can list other owners' runs.
    ...(owner === undefined ? {} : { $and: [{ owner }] }),
    ...(jobId ? { job_id: jobId } : {}),
    ...(flowId ? { flow_id: flowId } : {}),
    ...(projectId ? { project_id: projectId } : {}),
    ...(status ? { status } : {}),
    ...(createdFrom || createdTo ? { created_at: created } : {}),
  };
}

function keyId(owner: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, key]))
    .digest('hex');
}

/** The encrypted members of stored runs. */
export const sealedRuns: SealedCollection = {
  collection: 'job_runs',
  fields: { snapshot: 'json', metadata: 'json' },
  placeOf: ({ _id }) => placeOf(_id),
};

function placeOf(runId: string): string {
  return `job_runs/${runId}`;
}

function toStored({ job_run_id, snapshot, metadata, ...run }: RunRecord, sealer: Sealer): StoredRun {
  const sealed = sealer.seal({ snapshot, metadata }, placeOf(job_run_id));
  return {
    _id: job_run_id,
    ...run,
    snapshot: JSON.stringify(sealed.snapshot),
    metadata: JSON.stringify(sealed.metadata),
  };
}

function fromStored({ _id, snapshot, metadata, ...run }: StoredRun, sealer: Sealer): RunRecord {
  return {
    job_run_id: _id,
    ...run,
    snapshot: sealer.open(JSON.parse(snapshot) as RunRecord['snapshot'], placeOf(_id)),
    metadata: sealer.open(JSON.parse(metadata) as RunRecord['metadata'], placeOf(_id)),
  };
}
