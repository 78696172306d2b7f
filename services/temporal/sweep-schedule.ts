import { ScheduleAlreadyRunning } from '@temporalio/client';
import { callTemporal } from './call';
import { openTemporal, readQueuePrefix, type TemporalOptions } from './client';

/** Creates the schedule of the workflow `sweep` unless it exists. There is one per namespace and installation. */
export async function ensureSweep(options: TemporalOptions): Promise<void> {
  const { connection, client } = openTemporal(options);
  const prefix = await readQueuePrefix(options);
  const scheduleId = buildSweepScheduleId(prefix);
  try {
    await callTemporal({ connection, address: options.address }, async () =>
      client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every: '10m' }] },
        policies: { overlap: 'SKIP', catchupWindow: '1m' },
        action: {
          type: 'startWorkflow',
          workflowType: 'sweep',
          workflowId: scheduleId,
          taskQueue: `${prefix}-flow`,
          workflowRunTimeout: '6h',
        },
        state: { note: 'Settles runs whose workflow ended, and removes tables whose retention period has passed.' },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  } finally {
    await connection.close();
  }
}

/** The id of the sweep's schedule, and the prefix of its workflows' ids. */
export function buildSweepScheduleId(queuePrefix: string): string {
  return `sweep-${queuePrefix}`;
}
