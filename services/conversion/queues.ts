import { doTogether } from '../pacing/joined-questions';
import { guard, isDuplicate, type Mongo } from '../storage/mongo';

/** The order in which the pending tasks of a tenant were submitted. */
export interface ConversionQueues {
  /** Puts the task behind those that wait; its position, from 1. */
  push(tenant: string, id: string): Promise<number>;
  /** The task waits no longer; more calls are harmless. */
  leave(tenant: string, id: string): Promise<void>;
  /** Who waits, first come first. */
  waiting(tenant: string): Promise<string[]>;
  /** The tenants that have submitted something. */
  tenants(): Promise<string[]>;
}

interface Queue {
  _id: string;
  waiting: string[];
  /** How many wait, so that a place is told without reading the queue. */
  count: number;
}

/**
 * One record per tenant: a place is given by one atomic write, so that a later submission never stands before an earlier one
 * and a position never grows.
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
  /** False when one of them had left before. */
  const pull = async (tenant: string, ids: string[]): Promise<boolean> => {
    const filter = { _id: tenant, waiting: ids.length === 1 ? (ids[0] as string) : { $all: ids } };
    const { matchedCount } = await queues.updateOne(filter, {
      $pullAll: { waiting: ids },
      $inc: { count: -ids.length },
    });
    return matchedCount > 0;
  };
  const enter = doTogether(async (tenant, ids: string[]) => {
    try {
      return await push(tenant, ids);
    } catch (error) {
      // Two first submissions of a tenant at once.
      if (!isDuplicate(error)) throw error;
      return push(tenant, ids);
    }
  });
  const leave = doTogether(async (tenant, ids: string[]) => {
    const distinct = [...new Set(ids)];
    if (!(await pull(tenant, distinct)) && distinct.length > 1) for (const id of distinct) await pull(tenant, [id]);
    return ids.map(() => undefined);
  });
  return {
    push: (tenant, id) => guard(() => enter(tenant, id)),
    leave: (tenant, id) => guard(() => leave(tenant, id)),
    waiting: (tenant) => guard(async () => (await queues.findOne({ _id: tenant }))?.waiting ?? []),
    tenants: () =>
      guard(async () => (await queues.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)),
  };
}

/** From 1; a task that is in no queue any more is about to start. */
export function positionIn(waiting: readonly string[], id: string): number {
  return Math.max(1, waiting.indexOf(id) + 1);
}
