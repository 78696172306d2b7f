import { hash } from 'node:crypto';
import type { User } from '../../model/access';
import { escapeRegExp } from '../../model/escape-reg-exp';
import { finalStates, type RunState } from '../../model/run/run';
import { describeWait, type RunWait } from '../../model/run/run-waits';
import { batchReads } from '../pacing/request-batching';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import type { SealedCollection } from '../storage/sealing/rotation';
import { openJson, type Sealer } from '../storage/sealing/sealer';
import type { RunQuery } from './facts';
import type { JobLocks, RunFacts, RunRecord, RunRecords, RunsStore } from './run-record';
import type { RunStats } from './run-stats';
import { createMongoRunStats } from './stats';

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
  return Object.assign(new MongoRuns(mongo, stats), stats);
}

class MongoRuns implements RunRecords, JobLocks {
  private readonly runs;
  private readonly locks;
  /** Idempotency keys: `_id` is the hash of owner and key. */
  private readonly keys;
  private readonly find;
  private readonly whenReady;

  constructor(
    private readonly mongo: Mongo,
    private readonly stats: RunStats,
  ) {
    this.runs = mongo.collection<StoredRun>('job_runs');
    this.locks = mongo.collection<Lock>('job_locks');
    this.keys = mongo.collection<Lock>('run_keys');
    this.find = batchReads((ids) => this.runs.find({ _id: { $in: ids } }).toArray());
    this.whenReady = createWhenReady(async () => {
      await this.runs.createIndex({ owner: 1, created_at: -1 });
      await this.runs.createIndex({ job_id: 1, created_at: -1 });
      await this.runs.createIndex({ project_id: 1, created_at: -1 });
      await this.runs.createIndex({ status: 1, created_at: 1 });
      await this.runs.createIndex({ tables_removed_at: 1, ended_at: 1 });
    });
  }

  create(run: RunRecord) {
    return this.whenReady(async () => {
      const record = { ...run, job_run_id: await this.claimRunId(run) };
      try {
        await this.runs.insertOne(toStored(record, this.mongo.sealer));
        return record;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      const earlier = await this.runs.findOne({ _id: record.job_run_id });
      return earlier ? readStored(earlier, this.mongo.sealer) : record;
    });
  }

  get(runId: string) {
    return guard(async () => {
      const stored = await this.find(runId);
      return stored ? readStored(stored, this.mongo.sealer) : undefined;
    });
  }

  list(user: User, query: RunQuery) {
    return this.whenReady(async () => {
      const { limit, offset } = query;
      const sort = { ...getOrder(query), _id: 1 } as const;
      // The plans and flows of a page are most of its bytes.
      const page = { sort, limit, offset, projection: { snapshot: 0, metadata: 0 } };
      return await readPage(this.runs, buildFilter(user, query), page, readFacts);
    });
  }

  listOfJob(jobId: string, { limit, offset }: { limit: number; offset: number }) {
    return this.whenReady(async () => {
      const ofJob = this.runs.find({ job_id: jobId }).sort({ created_at: -1, _id: 1 });
      const stored = await ofJob.skip(offset).limit(limit).toArray();
      return stored.map((item) => readStored(item, this.mongo.sealer));
    });
  }

  update(
    runId: string,
    change: Partial<Pick<RunRecord, 'status' | 'message' | 'warnings' | 'started_at' | 'ended_at' | 'totals'>>,
  ) {
    return guard(async () => {
      await this.runs.updateOne({ _id: runId, status: { $nin: final } }, { $set: change });
      const stored = await this.runs.findOne({ _id: runId });
      return stored ? readStored(stored, this.mongo.sealer) : undefined;
    });
  }

  recordWait(
    runId: string,
    { operator, part }: Pick<RunWait, 'operator' | 'part'>,
    wait?: Omit<RunWait, 'operator' | 'part'>,
  ) {
    return guard(async () => {
      await this.runs.updateOne({ _id: runId }, { $pull: { waiting: { operator, part } } });
      if (wait) await this.runs.updateOne({ _id: runId }, { $push: { waiting: { operator, part, ...wait } } });
    });
  }

  remove(runId: string) {
    return guard(async () => {
      await this.stats.removeStats(runId);
      const removed = await this.runs.findOneAndDelete({ _id: runId });
      if (removed?.idempotency_key !== undefined)
        await this.keys.deleteOne({ _id: getKeyId(removed.owner, removed.idempotency_key), run_id: runId });
    });
  }

  listOpenRuns(before: string, limit: number, after = '') {
    return this.whenReady(async () => {
      const unfinished = await this.runs
        .find({ status: { $nin: final }, created_at: { $lt: before, $gt: after } })
        .sort({ created_at: 1 })
        .limit(limit)
        .toArray();
      return unfinished.map((item) => readStored(item, this.mongo.sealer));
    });
  }

  listExpiredRuns(before: string, limit: number) {
    return this.whenReady(async () => {
      const expired = await this.runs
        .find({ tables_removed_at: { $exists: false }, ended_at: { $lt: before }, status: { $in: final } })
        .limit(limit)
        .toArray();
      return expired.map((item) => readStored(item, this.mongo.sealer));
    });
  }

  noteTablesRemoved(runId: string, at: string) {
    return guard(async () => void (await this.runs.updateOne({ _id: runId }, { $set: { tables_removed_at: at } })));
  }

  isJobInUse(jobId: string) {
    return guard(
      async () => (await this.runs.countDocuments({ job_id: jobId, tables_removed_at: { $exists: false } })) > 0,
    );
  }

  isJobActive(jobId: string, before: string) {
    return guard(async () => {
      const filter = { job_id: jobId, status: { $nin: final }, created_at: { $lte: before } };
      return (await this.runs.countDocuments(filter, { limit: 1 })) > 0;
    });
  }

  acquireJob(jobId: string, runId: string) {
    return guard(async () => {
      try {
        await this.locks.insertOne({ _id: jobId, run_id: runId });
        return { acquired: true, holder: runId };
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      const lock = await this.locks.findOne({ _id: jobId });
      return { acquired: lock?.run_id === runId, holder: lock?.run_id ?? '' };
    });
  }

  releaseJob(jobId: string, runId: string) {
    return guard(async () => void (await this.locks.deleteOne({ _id: jobId, run_id: runId })));
  }

  replaceHolder(jobId: string, holder: string, runId: string) {
    return guard(async () => {
      const { modifiedCount } = await this.locks.updateOne({ _id: jobId, run_id: holder }, { $set: { run_id: runId } });
      return modifiedCount === 1;
    });
  }

  /** The id of the run: its own, or that of an earlier request with the same idempotency key. */
  private async claimRunId(run: RunRecord): Promise<string> {
    if (run.idempotency_key === undefined) return run.job_run_id;
    const _id = getKeyId(run.owner, run.idempotency_key);
    try {
      await this.keys.insertOne({ _id, run_id: run.job_run_id });
      return run.job_run_id;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return (await this.keys.findOne({ _id }))?.run_id ?? run.job_run_id;
    }
  }
}

function buildFilter(user: User, query: RunQuery) {
  const { everyone, owner, jobId, flowId, projectId, statuses, flowName, createdFrom, createdTo } = query;
  const { isSample, isWaiting } = query;
  const created = { ...(createdFrom ? { $gte: createdFrom } : {}), ...(createdTo ? { $lt: createdTo } : {}) };
  // These may have the same members as the filter of the user, so they are added and do not replace it.
  const additional = [
    ...(owner === undefined ? [] : [{ owner }]),
    ...(isWaiting === undefined ? [] : [buildWaitFilter(isWaiting)]),
  ];
  return {
    ...(everyone ? {} : buildReachFilter(user, query)),
    ...(additional.length > 0 ? { $and: additional } : {}),
    ...(jobId ? { job_id: jobId } : {}),
    ...(flowId ? { flow_id: flowId } : {}),
    ...(projectId ? { project_id: projectId } : {}),
    ...(statuses ? { status: { $in: [...statuses] } } : {}),
    ...(flowName ? { flow_name: { $regex: escapeRegExp(flowName), $options: 'i' } } : {}),
    ...(createdFrom || createdTo ? { created_at: created } : {}),
    ...(isSample === undefined ? {} : { sample: { $exists: isSample } }),
  };
}

function buildReachFilter({ username }: User, { projectIds = [] }: RunQuery) {
  if (projectIds.length === 0) return { owner: username };
  return { $or: [{ owner: username }, { project_id: { $in: [...projectIds] } }] };
}

/** A run that ended while it waited still has its waits. */
function buildWaitFilter(isWaiting: boolean) {
  if (isWaiting) return { 'waiting.0': { $exists: true }, status: { $nin: final } };
  return { $or: [{ 'waiting.0': { $exists: false } }, { status: { $in: final } }] };
}

function getOrder({ sort = { field: 'created_at', descending: true } }: RunQuery): Record<string, 1 | -1> {
  return { [sort.field]: sort.descending ? -1 : 1 };
}

function getKeyId(owner: string, key: string): string {
  return hash('sha256', JSON.stringify([owner, key]));
}

/** The encrypted members of stored runs. */
export const sealedRuns: SealedCollection = {
  collection: 'job_runs',
  fields: { snapshot: 'json', metadata: 'json' },
  formatPlace: ({ _id }) => formatPlace(_id),
};

function formatPlace(runId: string): string {
  return `job_runs/${runId}`;
}

function toStored({ job_run_id, snapshot, metadata, ...run }: RunRecord, sealer: Sealer): StoredRun {
  const sealed = sealer.seal({ snapshot, metadata }, formatPlace(job_run_id));
  return {
    _id: job_run_id,
    ...run,
    snapshot: JSON.stringify(sealed.snapshot),
    metadata: JSON.stringify(sealed.metadata),
  };
}

function readFacts({ _id, waiting = [], ...run }: Omit<StoredRun, 'snapshot' | 'metadata'>): RunFacts {
  const isWaiting = waiting.length > 0 && !final.includes(run.status);
  return {
    job_run_id: _id,
    ...run,
    ...(isWaiting ? { waiting, message: run.message || describeWait(waiting) } : {}),
  };
}

function readStored({ snapshot, metadata, ...run }: StoredRun, sealer: Sealer): RunRecord {
  const place = formatPlace(run._id);
  return {
    ...readFacts(run),
    snapshot: openJson(sealer, snapshot, place) as RunRecord['snapshot'],
    metadata: openJson(sealer, metadata, place) as RunRecord['metadata'],
  };
}
