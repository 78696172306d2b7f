import { ScheduleAlreadyRunning } from '@temporalio/client';
import type { Workflows } from '../../model/run/workflows';
import { callTemporal } from './call';
import { openTemporal, readQueuePrefix, type TemporalOptions } from './client';

/** A workflow that a schedule starts again and again, never twice at the same time. */
export interface IntervalSchedule {
  workflow: keyof Workflows;
  /** The id of the schedule, and the prefix of its workflow ids. */
  getId: (queuePrefix: string) => string;
  every: '1m' | '10m';
  args?: unknown[];
  /** Shown in the Temporal UI. */
  note: string;
}

/** Creates the schedule unless it exists. There is one per namespace and installation, created by the first worker. */
export async function ensureSchedule(options: TemporalOptions, scheduled: IntervalSchedule): Promise<void> {
  const { connection, client } = openTemporal(options);
  const prefix = await readQueuePrefix(options);
  const scheduleId = scheduled.getId(prefix);
  try {
    await callTemporal({ connection, address: options.address }, async () =>
      client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every: scheduled.every }] },
        policies: { overlap: 'SKIP', catchupWindow: '1m' },
        action: {
          type: 'startWorkflow',
          workflowType: scheduled.workflow,
          workflowId: scheduleId,
          taskQueue: `${prefix}-flow`,
          workflowRunTimeout: '6h',
          ...(scheduled.args ? { args: scheduled.args } : {}),
        },
        state: { note: scheduled.note },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  } finally {
    await connection.close();
  }
}
