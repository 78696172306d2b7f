import { createHash } from 'node:crypto';
import type { Artifact } from '../model/conversion/result';
import type { TaskFailure, TaskMeta, TaskState } from '../model/conversion/task';
import type { DocumentRecord, NewDocumentRecord, TaskRecord, TaskSummary } from './conversion-record';
import type { TaskCounts } from './conversion-ports';
import { guard, isDuplicate, type Mongo, onceReady } from './mongo';

/** How a task ends. */
export interface TaskEnd {
  state: 'success' | 'failure';
  counts?: TaskMeta;
  error_message?: string;
  failure?: TaskFailure;
}

/** Records of tasks and of their documents. Writes are keyed, so that an activity that runs twice changes nothing. */
export interface ConversionStore {
  /** Keeps a new task behind those that the tenant has; the earlier one where the idempotency key was used. */
  create(task: Omit<TaskRecord, 'seq'>): Promise<TaskSummary>;
  get(id: string): Promise<TaskSummary | undefined>;
  /** With the request; undefined when the task is gone. */
  getWhole(id: string): Promise<TaskRecord | undefined>;
  /** Pending tasks of the tenant before this one. */
  ahead(task: Pick<TaskSummary, 'tenant' | 'seq'>): Promise<number>;
  /** The order numbers of all pending tasks of the tenant, ascending. */
  pending(tenant: string): Promise<number[]>;
  /** Pending to started. `fresh` when it was this call that did it; the task as it then is. */
  begin(id: string): Promise<{ task: TaskRecord | undefined; fresh: boolean }>;
  /** Notes how many documents the sources stand for. */
  listed(id: string, documents: number): Promise<void>;
  /** Counts the beginnings of a document that may have been begun before; this one included. */
  noteAttempt(id: string, index: number): Promise<number>;
  /** Ends the task unless it has ended; the task as it then is, and whether this call ended it. */
  end(id: string, end: TaskEnd): Promise<{ task: TaskSummary | undefined; ended: boolean }>;
  list(
    tenant: string,
    query: { state?: TaskState; limit: number; offset: number },
  ): Promise<{ items: TaskSummary[]; total: number }>;
  counts(): Promise<TaskCounts>;
  putDocument(task: string, document: NewDocumentRecord): Promise<void>;
  getDocument(task: string, index: number): Promise<DocumentRecord | undefined>;
  /** In the order of the sources; of these places when they are named. */
  documents(task: string, indexes?: readonly number[]): Promise<DocumentRecord[]>;
  /** Notes where the files of a document are. */
  setUploads(task: string, index: number, uploads: readonly Artifact[]): Promise<void>;
  forgetCallbacks(id: string): Promise<void>;
  /** Counts what is done so far and keeps it with the task. */
  countDone(task: string): Promise<void>;
  /** Up to `limit` tasks that ended before; of one tenant when it is named. */
  ended(before: Date, limit: number, tenant?: string): Promise<TaskSummary[]>;
  /** Up to `limit` tasks that are not final and were made before `before`, oldest first. */
  open(before: Date, limit: number, after?: string): Promise<TaskSummary[]>;
  /** Forgets a task and its documents. */
  remove(id: string): Promise<void>;
}

const whole = { projection: { request: 0, attempts: 0 } };

/** The records in MongoDB. */
export function createConversionStore(mongo: Mongo): ConversionStore {
  const tasks = mongo.collection<TaskRecord>('conversion_tasks');
  const documents = mongo.collection<DocumentRecord>('conversion_documents');
  const queues = mongo.collection<{ _id: string; seq: number }>('conversion_queues');
  /** Idempotency keys: `_id` is the hash of tenant and key. */
  const keys = mongo.collection<{ _id: string; task: string }>('conversion_keys');
  const ready = onceReady(async () => {
    await tasks.createIndex({ tenant: 1, state: 1, seq: 1 });
    await tasks.createIndex({ tenant: 1, created_at: -1 });
    await tasks.createIndex({ state: 1, created_at: 1 });
    await tasks.createIndex({ ended_at: 1 });
    await documents.createIndex({ task: 1, index: 1 });
    await documents.createIndex({ task: 1, status: 1 });
  });
  /** The id under which the task is made: its own, or the one that an earlier request claimed with the same key. */
  const claim = async ({ _id: id, tenant, idempotency_key: key }: Omit<TaskRecord, 'seq'>): Promise<string> => {
    if (key === undefined) return id;
    const _id = keyId(tenant, key);
    try {
      await keys.insertOne({ _id, task: id });
      return id;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return (await keys.findOne({ _id }))?.task ?? id;
    }
  };
  const found = async (id: string) => (await tasks.findOne({ _id: id }, whole)) ?? undefined;

  return {
    create: (task) =>
      guard(async () => {
        await ready();
        const _id = await claim(task);
        const earlier = _id === task._id ? undefined : await found(_id);
        if (earlier) return earlier;
        const queue = await queues.findOneAndUpdate(
          { _id: task.tenant },
          { $inc: { seq: 1 } },
          { upsert: true, returnDocument: 'after' },
        );
        const record: TaskRecord = { ...task, _id, seq: queue?.seq ?? 1 };
        try {
          await tasks.insertOne(record);
          return summary(record);
        } catch (error) {
          const other = isDuplicate(error) && task.idempotency_key !== undefined ? await found(_id) : undefined;
          if (!other) throw error;
          return other;
        }
      }),
    get: (id) => guard(() => found(id)),
    getWhole: (id) => guard(async () => (await tasks.findOne({ _id: id })) ?? undefined),
    ahead: ({ tenant, seq }) => guard(() => tasks.countDocuments({ tenant, state: 'pending', seq: { $lt: seq } })),
    pending: (tenant) =>
      guard(async () => {
        const waiting = await tasks
          .find({ tenant, state: 'pending' }, { projection: { seq: 1, _id: 0 } })
          .sort({ seq: 1 })
          .toArray();
        return waiting.map(({ seq }) => seq);
      }),
    begin: (id) =>
      guard(async () => {
        const begun = await tasks.findOneAndUpdate(
          { _id: id, state: 'pending' },
          { $set: { state: 'started', started_at: new Date() } },
          { returnDocument: 'after' },
        );
        if (begun) return { task: begun, fresh: true };
        return { task: (await tasks.findOne({ _id: id })) ?? undefined, fresh: false };
      }),
    listed: (id, count) =>
      guard(
        async () => void (await tasks.updateOne({ _id: id }, { $set: { documents: count, 'counts.num_docs': count } })),
      ),
    noteAttempt: (id, index) =>
      guard(async () => {
        const task = await tasks.findOneAndUpdate(
          { _id: id },
          { $inc: { [`attempts.${index}`]: 1 } },
          { returnDocument: 'after', projection: { [`attempts.${index}`]: 1 } },
        );
        return task?.attempts?.[index] ?? 1;
      }),
    end: (id, end) =>
      guard(async () => {
        const ended = await tasks.findOneAndUpdate(
          { _id: id, state: { $in: ['pending', 'started'] } },
          {
            $set: {
              state: end.state,
              ended_at: new Date(),
              error_message: end.error_message ?? null,
              failure: end.failure ?? null,
              ...(end.counts ? { counts: end.counts } : {}),
            },
            $unset: { request: '', attempts: '' },
          },
          { returnDocument: 'after', ...whole },
        );
        if (ended) return { task: ended, ended: true };
        return { task: await found(id), ended: false };
      }),
    list: (tenant, { state, limit, offset }) =>
      guard(async () => {
        await ready();
        const filter = { tenant, ...(state ? { state } : {}) };
        const [items, total] = await Promise.all([
          tasks.find(filter, whole).sort({ created_at: -1, seq: -1 }).skip(offset).limit(limit).toArray(),
          tasks.countDocuments(filter),
        ]);
        return { items, total };
      }),
    counts: () =>
      guard(async () => {
        const groups = await tasks.aggregate([{ $group: { _id: '$state', count: { $sum: 1 } } }]).toArray();
        const count = (state: TaskState) => (groups.find(({ _id }) => _id === state)?.['count'] as number) ?? 0;
        return {
          pending: count('pending'),
          started: count('started'),
          success: count('success'),
          failure: count('failure'),
        };
      }),
    putDocument: (task, document) =>
      guard(async () => {
        const _id = documentId(task, document.index);
        await documents.replaceOne({ _id }, { ...document, task }, { upsert: true });
      }),
    getDocument: (task, index) =>
      guard(async () => (await documents.findOne({ _id: documentId(task, index) })) ?? undefined),
    documents: (task, indexes) =>
      guard(() =>
        documents
          .find({ task, ...(indexes ? { index: { $in: [...indexes] } } : {}) })
          .sort({ index: 1 })
          .toArray(),
      ),
    setUploads: (task, index, uploads) =>
      guard(
        async () =>
          void (await documents.updateOne({ _id: documentId(task, index) }, { $set: { uploads: [...uploads] } })),
      ),
    forgetCallbacks: (id) => guard(async () => void (await tasks.updateOne({ _id: id }, { $set: { callbacks: [] } }))),
    countDone: (task) =>
      guard(async () => {
        const groups = await documents
          .aggregate([{ $match: { task } }, { $group: { _id: '$status', count: { $sum: 1 } } }])
          .toArray();
        const count = (status: string) => (groups.find(({ _id }) => _id === status)?.['count'] as number) ?? 0;
        const processed = groups.reduce((sum, group) => sum + (group['count'] as number), 0);
        // Never backwards: another worker may have counted later and written first.
        await tasks.updateOne(
          { _id: task, state: 'started', 'counts.num_processed': { $lt: processed } },
          {
            $set: {
              'counts.num_processed': processed,
              'counts.num_succeeded': count('success'),
              'counts.num_partially_succeeded': count('partial_success'),
              'counts.num_failed': count('failure') + count('skipped'),
            },
          },
        );
      }),
    ended: (before, limit, tenant) =>
      guard(() =>
        tasks
          .find({ ended_at: { $ne: null, $lte: before }, ...(tenant === undefined ? {} : { tenant }) }, whole)
          .limit(limit)
          .toArray(),
      ),
    open: (before, limit, after) =>
      guard(() =>
        tasks
          .find(
            {
              state: { $in: ['pending', 'started'] },
              created_at: { $lt: before, ...(after ? { $gt: new Date(after) } : {}) },
            },
            whole,
          )
          .sort({ created_at: 1 })
          .limit(limit)
          .toArray(),
      ),
    remove: (id) =>
      guard(async () => {
        await documents.deleteMany({ task: id });
        const removed = await tasks.findOneAndDelete({ _id: id }, whole);
        if (removed?.idempotency_key !== undefined)
          await keys.deleteOne({ _id: keyId(removed.tenant, removed.idempotency_key), task: id });
      }),
  };
}

function keyId(tenant: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, key]))
    .digest('hex');
}

function documentId(task: string, index: number): string {
  return `${task}/${index}`;
}

function summary(record: TaskRecord): TaskSummary {
  const { request: _request, attempts: _attempts, ...task } = record;
  return task;
}
