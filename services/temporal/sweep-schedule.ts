import { ScheduleAlreadyRunning } from '@temporalio/client';
import type { Workflows } from '../../model/run/workflows';
import { callTemporal } from './call';
import { openTemporal, queuePrefix, type TemporalOptions } from './client';

/** Interval between sweeps. */
const sweepEvery = '10m';

/**
 * Creates the schedule of the workflow `sweep` unless it exists. There is one per namespace and installation, created by the
 * first worker.
 */
export async function ensureSweep(options: TemporalOptions): Promise<void> {
  const { connection, client } = openTemporal(options);
  const { schedule } = client;
  const prefix = await queuePrefix(options);
  const scheduleId = getSweepScheduleId(prefix);
  try {
    await callTemporal({ connection, address: options.address }, async () =>
      schedule.create({
        scheduleId,
        spec: { intervals: [{ every: sweepEvery }] },
        policies: { overlap: 'SKIP', catchupWindow: '1m' },
        action: {
          type: 'startWorkflow',
          workflowType: 'sweep' satisfies keyof Workflows,
          workflowId: scheduleId,
          taskQueue: `${prefix}-flow`,
          workflowRunTimeout: '6h',
        },
        state: { note: 'Settles runs whose workflow ended, and removes tables whose time is over.' },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  } finally {
    await connection.close();
  }
}

/** The id of the sweep's schedule, and the prefix of its workflows' ids. */
export function getSweepScheduleId(queuePrefix: string): string {
  return `sweep-${queuePrefix}`;
}
