import { finalStates, type RunState } from '../model/run';
import { guard, isDuplicate, type Mongo, onceReady } from './mongo';
import type { RunRecord, RunsStore } from './ports';
import { createRunReports } from './run-reports';

/** As stored: snapshot and metadata are JSON text, since their keys may hold dots. */
interface StoredRun extends Omit<RunRecord, 'job_run_id' | 'snapshot' | 'metadata'> {
  _id: string;
  snapshot: string;
  metadata: string;
}
interface Lock {
  _id: string;
  run_id: string;
}

/** Run records in MongoDB. A record that is final never changes again. */
export function createRunsStore(mongo: Mongo): RunsStore {
  const runs = mongo.collection<StoredRun>('job_runs');
  const locks = mongo.collection<Lock>('job_locks');
  const reports = createRunReports(mongo);
  const ready = onceReady(async () => {
    await runs.createIndex({ owner: 1, created_at: -1 });
    await runs.createIndex({ job_id: 1, created_at: -1 });
  });

  return {
    ...reports,
    create: (run) =>
      guard(async () => {
        await ready();
        await runs.insertOne(toStored(run));
      }),
    get: (runId) =>
      guard(async () => {
        const stored = await runs.findOne({ _id: runId });
        return stored ? fromStored(stored) : undefined;
      }),
    list: (user, { limit, offset, jobId, flowId, status }) =>
      guard(async () => {
        await ready();
        const filter = {
          owner: user.username,
          ...(jobId ? { job_id: jobId } : {}),
          ...(flowId ? { flow_id: flowId } : {}),
          ...(status ? { status } : {}),
        };
        const total = await runs.countDocuments(filter);
        const items = await runs.find(filter).sort({ created_at: -1, _id: 1 }).skip(offset).limit(limit).toArray();
        return { items: items.map(fromStored), total };
      }),
    update: (runId, change) =>
      guard(async () => {
        await runs.updateOne({ _id: runId, status: { $nin: [...finalStates] as RunState[] } }, { $set: change });
        const stored = await runs.findOne({ _id: runId });
        return stored ? fromStored(stored) : undefined;
      }),
    remove: (runId) =>
      guard(async () => {
        await reports.removeReports(runId);
        await runs.deleteOne({ _id: runId });
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

function toStored({ job_run_id, snapshot, metadata, ...run }: RunRecord): StoredRun {
  return { _id: job_run_id, ...run, snapshot: JSON.stringify(snapshot), metadata: JSON.stringify(metadata) };
}

function fromStored({ _id, snapshot, metadata, ...run }: StoredRun): RunRecord {
  return {
    job_run_id: _id,
    ...run,
    snapshot: JSON.parse(snapshot) as RunRecord['snapshot'],
    metadata: JSON.parse(metadata) as RunRecord['metadata'],
  };
}
