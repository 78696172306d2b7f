import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { UpdateFilter } from 'mongodb';
import type { TaskFailure, TaskMeta, TaskState } from '../../model/conversion/task/task';
import { AppError } from '../../model/errors';
import type { PageCount } from '../../model/page/page-count';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import type { SealedCollection } from '../storage/sealing/rotation';
import type { Sealer } from '../storage/sealing/sealer';
import { type ConversionDocuments, MongoConversionDocuments } from './documents';
import type { NewConversionTask, TaskCounts } from './ports';
import { type ConversionQueues, createConversionQueues } from './queues';
import { type DoneCounts, countSettled, type TaskRecord, type TaskSummary } from './record';

/** How a task ended. */
export interface TaskEnd {
  state: 'success' | 'failure';
  counts?: TaskMeta;
  error_message?: string;
  failure?: TaskFailure;
}

/** Stores tasks and their documents. Writes are keyed, so repeating an activity changes nothing. */
export interface ConversionStore extends ConversionDocuments {
  queues: ConversionQueues;
  /**
   * Stores a new task at the end of the queue and returns its position. Returns the earlier task, without a position, when the
   * idempotency key was used before.
   */
  create(task: TaskRecord): Promise<{ task: TaskSummary; position?: number }>;
  get(id: string): Promise<TaskSummary | undefined>;
  /** Existing tasks, in no particular order. */
  getMany(ids: readonly string[]): Promise<TaskSummary[]>;
  /** Includes the request. Undefined when the task was deleted. */
  getWhole(id: string): Promise<TaskRecord | undefined>;
  /** Changes the state from pending to started. `fresh` is true when this call did so; `task` is the current task. */
  begin(id: string): Promise<{ task: TaskRecord | undefined; fresh: boolean }>;
  /** Records how many documents the sources contain. */
  noteDocuments(id: string, documents: number): Promise<void>;
  /** Increments and returns the number of repeated starts of a document. */
  noteAttempt(id: string, index: number): Promise<number>;
  /** Records how many documents of the task a process has finished. */
  noteProgress(id: string, process: string, done: DoneCounts): Promise<void>;
  /** Records the pages of documents that are being read, by index; `undefined` for those that are finished. */
  noteReading(id: string, pages: ReadonlyMap<number, PageCount | undefined>): Promise<void>;
  forgetCallbacks(id: string): Promise<void>;
  /** Ends the task unless it has already ended. Returns the current task and whether this call ended it. */
  end(id: string, end: TaskEnd): Promise<{ task: TaskSummary | undefined; ended: boolean }>;
  list(
    tenant: string,
    query: { state?: TaskState; limit: number; offset: number },
  ): Promise<{ items: TaskSummary[]; total: number }>;
  countByState(): Promise<TaskCounts>;
  /** Up to `limit` tasks that ended before `before`, optionally of one tenant. */
  listEnded(before: Date, limit: number, tenant?: string): Promise<TaskSummary[]>;
  /** Up to `limit` unfinished tasks created before `before`, oldest first. */
  listOpen(before: Date, limit: number, after?: string): Promise<TaskSummary[]>;
  /** Deletes a task and its documents. */
  remove(id: string): Promise<void>;
}

/**
 * A task in the database. Request and callbacks contain passwords, headers, API keys and signed addresses, so they are encrypted
 * JSON text. Older releases stored them as plain JSON text or as objects.
 */
type StoredTask = Omit<TaskRecord, 'request' | 'callbacks'> & {
  request?: string | NewConversionTask;
  callbacks: string | TaskRecord['callbacks'];
};

/** A request that claims an idempotency key stores its task within this time, or has failed. */
const storedWithinMs = 2_000;

const withoutRequest = { projection: { request: 0, attempts: 0 } };

/** Stores the records in MongoDB. */
export function createConversionStore(mongo: Mongo): ConversionStore {
  return new MongoConversionStore(mongo);
}

class MongoConversionStore extends MongoConversionDocuments implements ConversionStore {
  private readonly tasks;
  /** Idempotency keys. `_id` is the hash of tenant and key; `request` is the hash of the first request with that key. */
  private readonly keys;
  readonly queues;
  private readonly whenReady;
  private readonly sealed;

  constructor(mongo: Mongo) {
    super(mongo);
    this.tasks = mongo.collection<StoredTask>('conversion_tasks');
    this.keys = mongo.collection<{ _id: string; task: string; request?: string }>('conversion_keys');
    this.queues = createConversionQueues(mongo);
    this.whenReady = createWhenReady(async () => {
      await this.tasks.createIndex({ tenant: 1, created_at: -1 });
      await this.tasks.createIndex({ state: 1, created_at: 1 });
      await this.tasks.createIndex({ ended_at: 1 });
    });
    this.sealed = sealTasks(mongo.sealer);
  }

  create(task: TaskRecord): ReturnType<ConversionStore['create']> {
    return this.whenReady(async () => {
      const _id = await this.claim(task);
      if (_id !== task._id) {
        const earlier = await this.found(_id);
        return earlier ? { task: earlier } : this.create(task);
      }
      const position = await this.queues.push(task.tenant, _id);
      try {
        await this.tasks.insertOne(this.sealed.toStored(task));
        return { task: omitRequest(task), position };
      } catch (error) {
        const other = isDuplicate(error) ? await this.found(_id) : undefined;
        // Only a request with the same key can have created the task first.
        if (!other || task.idempotency_key === undefined) throw error;
        return { task: other };
      }
    });
  }

  get(id: string) {
    return guard(() => this.found(id));
  }

  getMany(ids: readonly string[]) {
    return guard(async () =>
      this.summaries(await this.tasks.find({ _id: { $in: [...ids] } }, withoutRequest).toArray()),
    );
  }

  getWhole(id: string) {
    return guard(async () => this.sealed.fromStored(await this.tasks.findOne({ _id: id })));
  }

  begin(id: string) {
    return guard(async () => {
      const begun = await this.changeIn(id, ['pending'], { $set: { state: 'started', started_at: new Date() } });
      const task = this.sealed.fromStored(begun ?? (await this.tasks.findOne({ _id: id })));
      if (task) await this.queues.leave(task.tenant, id);
      return { task, fresh: begun !== undefined };
    });
  }

  noteDocuments(id: string, count: number) {
    return this.set(id, { documents: count, 'counts.num_docs': count });
  }

  noteAttempt(id: string, index: number) {
    return guard(async () => {
      const task = await this.tasks.findOneAndUpdate(
        { _id: id },
        { $inc: { [`attempts.${index}`]: 1 } },
        { returnDocument: 'after', projection: { [`attempts.${index}`]: 1 } },
      );
      return task?.attempts?.[index] ?? 1;
    });
  }

  noteProgress(id: string, process: string, done: DoneCounts) {
    return this.set(id, { [`progress.${process}`]: done });
  }

  noteReading(id: string, pages: ReadonlyMap<number, PageCount | undefined>) {
    const fields = [...pages].map(([index, count]) => [`reading.${index}`, count] as const);
    const set = fields.filter(([, count]) => count);
    const unset = fields.filter(([, count]) => !count).map(([field]) => [field, ''] as const);
    const change: UpdateFilter<StoredTask> = {
      ...(set.length > 0 ? { $set: Object.fromEntries(set) } : {}),
      ...(unset.length > 0 ? { $unset: Object.fromEntries(unset) } : {}),
    };
    // A late message does not change a task that has ended.
    return guard(async () => void (await this.tasks.updateOne({ _id: id, state: 'started' }, change)));
  }

  forgetCallbacks(id: string) {
    return this.set(id, { callbacks: [] });
  }

  end(id: string, end: TaskEnd) {
    return guard(async () => {
      const changed = await this.changeIn(id, ['pending', 'started'], {
        $set: {
          state: end.state,
          ended_at: new Date(),
          error_message: end.error_message ?? null,
          failure: end.failure ?? null,
          ...(end.counts ? { counts: end.counts } : {}),
        },
        $unset: { request: '', attempts: '', reading: '' },
      });
      if (!changed) return { task: await this.found(id), ended: false };
      const ended = this.sealed.summary(changed);
      if (!ended.started_at) await this.queues.leave(ended.tenant, id);
      return { task: end.counts ? ended : await this.keepCounts(ended), ended: true };
    });
  }

  list(tenant: string, { state, limit, offset }: { state?: TaskState; limit: number; offset: number }) {
    return this.whenReady(async () => {
      const filter = { tenant, ...(state ? { state } : {}) };
      const [items, total] = await Promise.all([
        this.tasks.find(filter, withoutRequest).sort({ created_at: -1 }).skip(offset).limit(limit).toArray(),
        this.tasks.countDocuments(filter),
      ]);
      return { items: this.summaries(items), total };
    });
  }

  countByState() {
    return guard(async () => {
      const groups = await this.tasks.aggregate([{ $group: { _id: '$state', count: { $sum: 1 } } }]).toArray();
      const count = (state: TaskState) => (groups.find(({ _id }) => _id === state)?.['count'] as number) ?? 0;
      return {
        pending: count('pending'),
        started: count('started'),
        success: count('success'),
        failure: count('failure'),
      };
    });
  }

  listEnded(before: Date, limit: number, tenant?: string) {
    return guard(async () => {
      const filter = { ended_at: { $ne: null, $lte: before }, ...(tenant === undefined ? {} : { tenant }) };
      return this.summaries(await this.tasks.find(filter, withoutRequest).limit(limit).toArray());
    });
  }

  listOpen(before: Date, limit: number, after?: string) {
    return guard(async () => {
      const created = { $lt: before, ...(after ? { $gt: new Date(after) } : {}) };
      const filter = { state: { $in: ['pending', 'started'] as TaskState[] }, created_at: created };
      return this.summaries(
        await this.tasks.find(filter, withoutRequest).sort({ created_at: 1 }).limit(limit).toArray(),
      );
    });
  }

  remove(id: string) {
    return guard(async () => {
      const task = await this.found(id);
      if (!task) return;
      await this.removeDocuments(id, task.documents ?? 0);
      if (!task.started_at) await this.queues.leave(task.tenant, id);
      await this.tasks.deleteOne({ _id: id });
      if (task.idempotency_key !== undefined)
        await this.keys.deleteOne({ _id: buildKeyId(task.tenant, task.idempotency_key), task: id });
    });
  }

  private async found(id: string) {
    const task = await this.tasks.findOne({ _id: id }, withoutRequest);
    return task ? this.sealed.summary(task) : undefined;
  }

  private summaries(stored: readonly StoredTask[]) {
    return stored.map(this.sealed.summary);
  }

  /**
   * The id of the task: its own, or that of an earlier request with the same idempotency key. A key whose request failed before it
   * stored its task goes to this one: its files, and the id that its client gets, belong to it.
   */
  private async claim(task: TaskRecord): Promise<string> {
    const { _id: id, tenant, idempotency_key: key, request_hash: request } = task;
    if (key === undefined) return id;
    const _id = buildKeyId(tenant, key);
    try {
      await this.keys.insertOne({ _id, task: id, ...(request === undefined ? {} : { request }) });
      return id;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const earlier = await this.keys.findOne({ _id });
    if (earlier?.request !== undefined && earlier.request !== request) throw createKeyConflictError();
    if (!earlier) return this.claim(task);
    for (const until = Date.now() + storedWithinMs; !(await this.found(earlier.task)); await delay(50)) {
      if (Date.now() < until) continue;
      const { modifiedCount } = await this.keys.updateOne({ _id, task: earlier.task }, { $set: { task: id } });
      return modifiedCount === 1 ? id : this.claim(task);
    }
    return earlier.task;
  }

  private set(id: string, change: Record<string, unknown>) {
    return guard(async () => void (await this.tasks.updateOne({ _id: id }, { $set: change })));
  }

  /** Changes a task that is in one of these states and returns the new version. */
  private async changeIn(
    id: string,
    states: readonly TaskState[],
    change: UpdateFilter<StoredTask>,
  ): Promise<StoredTask | undefined> {
    const filter = { _id: id, state: { $in: [...states] } };
    return (await this.tasks.findOneAndUpdate(filter, change, { returnDocument: 'after' })) ?? undefined;
  }

  /** A task that ended early keeps the counts reached so far. */
  private async keepCounts(task: TaskSummary): Promise<TaskSummary> {
    const counts = countSettled(task);
    await this.tasks.updateOne({ _id: task._id }, { $set: { counts } });
    return { ...task, counts };
  }
}

function buildKeyId(tenant: string, key: string): string {
  return hash('sha256', JSON.stringify([tenant, key]));
}

/** Encrypts and decrypts the secret members of a task. */
function sealTasks(sealer: Sealer) {
  // The sealer encrypts the whole value of a member named `secret`.
  const sealValue = (value: unknown, place: string) => sealer.seal({ secret: JSON.stringify(value) }, place).secret;
  const openValue = <T>(stored: string | T, place: string) =>
    typeof stored === 'string' ? (JSON.parse(sealer.open(stored, place)) as T) : stored;
  const buildSummary = ({ request: _request, attempts: _attempts, callbacks, ...task }: StoredTask): TaskSummary => ({
    ...task,
    callbacks: openValue(callbacks, formatPlace(task._id)),
  });
  return {
    summary: buildSummary,
    toStored: ({ request, callbacks, ...record }: TaskRecord): StoredTask => ({
      ...record,
      callbacks: callbacks.length === 0 ? [] : sealValue(callbacks, formatPlace(record._id)),
      ...(request ? { request: sealValue(request, formatPlace(record._id)) } : {}),
    }),
    fromStored: (stored: StoredTask | null): TaskRecord | undefined => {
      if (!stored) return undefined;
      const { request, attempts } = stored;
      return {
        ...buildSummary(stored),
        ...(attempts ? { attempts } : {}),
        ...(request === undefined ? {} : { request: openValue(request, formatPlace(stored._id)) }),
      };
    },
  };
}

/** The encrypted members of tasks. */
export const sealedTaskRecords: SealedCollection = {
  collection: 'conversion_tasks',
  fields: { request: 'whole', callbacks: 'whole' },
  formatPlace: ({ _id }) => formatPlace(_id),
};

function formatPlace(id: string): string {
  return `conversion_tasks/${id}`;
}

function omitRequest({ request: _request, attempts: _attempts, ...task }: TaskRecord): TaskSummary {
  return task;
}

function createKeyConflictError(): AppError {
  return new AppError(
    'CONFLICT',
    "The 'Idempotency-Key' of this request was used before with a different request; send a new key with each new request.",
    { target: { type: 'header', name: 'Idempotency-Key' } },
  );
}
