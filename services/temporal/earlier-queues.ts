import { ScheduleNotFoundError } from '@temporalio/client';
import { guard, type Mongo } from '../storage/mongo';
import { callTemporal } from './call';
import { openTemporal, getQueueName, type TemporalOptions } from './client';
import { buildSweepScheduleId } from './sweep-schedule';

/** The task queues of versions whose queue names did not contain the installation's identity. */
export interface EarlierQueues {
  /** Moves the installation's schedules to its own queues, and deletes the earlier schedule of the sweep. Idempotent. */
  moveSchedules(): Promise<void>;
  /** The number of workflows on the earlier queues that have not ended. */
  countRunning(): Promise<number>;
  close(): Promise<void>;
}

/** Connects with the first call. */
export function createEarlierQueues(options: TemporalOptions, mongo: Mongo): EarlierQueues {
  const { connection, client } = openTemporal(options);
  const schedules = mongo.collection<{ _id: string; temporal_id?: string }>('flow_schedules');
  const call = <T>(request: () => Promise<T>) => callTemporal({ connection, address: options.address }, request);
  const ignoreMissing = (reply: Promise<unknown>) =>
    reply.catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    });
  return {
    async moveSchedules() {
      const taskQueue = await getQueueName(options, 'flow');
      const stored = await guard(() => schedules.find({}, { projection: { temporal_id: 1 } }).toArray());
      for (const { _id, temporal_id: temporalId = _id } of stored)
        await ignoreMissing(
          call(async () =>
            client.schedule
              .getHandle(temporalId)
              // The description contains the search attributes twice; the typed ones keep their types.
              .update(({ searchAttributes: _untyped, ...schedule }) => ({
                ...schedule,
                action: { ...schedule.action, taskQueue },
              })),
          ),
        );
      await ignoreMissing(
        call(async () => client.schedule.getHandle(buildSweepScheduleId(options.taskQueue)).delete()),
      );
    },
    async countRunning() {
      const queues = ['flow', 'convert'].map((kind) => `TaskQueue = '${options.taskQueue}-${kind}'`).join(' OR ');
      const { count } = await call(() => client.workflow.count(`(${queues}) AND ExecutionStatus = 'Running'`));
      return count;
    },
    close: () => connection.close(),
  };
}
