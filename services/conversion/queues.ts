import { batchWrites } from '../pacing/request-batching';
import { guard, isDuplicate, type Mongo } from '../storage/mongo';

/** The queue of pending tasks of each tenant, in order of submission. */
export interface ConversionQueues {
  /** Appends the task to the queue and returns its position, counting from 1. */
  push(tenant: string, id: string): Promise<number>;
  /** Removes the task from the queue. Idempotent. */
  leave(tenant: string, id: string): Promise<void>;
  /** Ids of the pending tasks, oldest first. */
  listWaiting(tenant: string): Promise<string[]>;
  /** All tenants that have ever submitted a task. */
  listTenants(): Promise<string[]>;
}

interface Queue {
  _id: string;
  waiting: string[];
  /** Number of entries, so that a position is known without reading the queue. */
  count: number;
}

/**
 * Keeps one record per tenant. One atomic write assigns a position, so a later submission never comes before an earlier one and a
 * position never grows.
 */
export function createConversionQueues(mongo: Mongo): ConversionQueues {
  const queues = mongo.collection<Queue>('conversion_waiting');
  const push = async (tenant: string, ids: string[]): Promise<number[]> => {
    const queue = await queues.findOneAndUpdate(
      { _id: tenant },
      { $push: { waiting: { $each: ids } }, $inc: { count: ids.length } },
      { upsert: true, returnDocument: 'after', projection: { count: 1 } },
    );
    const last = queue?.count ?? ids.length;
    return ids.map((_, place) => last - ids.length + place + 1);
  };
  /** Returns false when one of the ids was no longer in the queue. */
  const pull = async (tenant: string, ids: string[]): Promise<boolean> => {
    const filter = { _id: tenant, waiting: ids.length === 1 ? (ids[0] as string) : { $all: ids } };
    const { matchedCount } = await queues.updateOne(filter, {
      $pullAll: { waiting: ids },
      $inc: { count: -ids.length },
    });
    return matchedCount > 0;
  };
  const enter = batchWrites(async (tenant, ids: string[]) => {
    try {
      return await push(tenant, ids);
    } catch (error) {
      // Two first submissions of a tenant arrived at the same time.
      if (!isDuplicate(error)) throw error;
      return push(tenant, ids);
    }
  });
  const leave = batchWrites(async (tenant, ids: string[]) => {
    const distinct = [...new Set(ids)];
    if (!(await pull(tenant, distinct)) && distinct.length > 1) for (const id of distinct) await pull(tenant, [id]);
    return ids.map(() => undefined);
  });
  return {
    push: (tenant, id) => guard(() => enter(tenant, id)),
    leave: (tenant, id) => guard(() => leave(tenant, id)),
    listWaiting: (tenant) => guard(async () => (await queues.findOne({ _id: tenant }))?.waiting ?? []),
    listTenants: () =>
      guard(async () => (await queues.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)),
  };
}

/** Position from 1. A task that is no longer in the queue is about to start and also returns 1. */
export function findPosition(waiting: readonly string[], id: string): number {
  return Math.max(1, waiting.indexOf(id) + 1);
}
