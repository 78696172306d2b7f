import { ScheduleAlreadyRunning } from '@temporalio/client';
import type { Workflows } from '../../model/run/workflows';
import { callTemporal } from './call';
import { openTemporal, queuePrefix, type TemporalOptions } from './client';

/** Minutes between two sweeps. */
const sweepEvery = '10m';

/** Makes the schedule of the workflow `sweep` unless there is one: once per namespace and installation, whichever worker is first. */
export async function ensureSweep(options: TemporalOptions): Promise<void> {
  const { connection, client } = openTemporal(options);
  const { schedule } = client;
  const prefix = await queuePrefix(options);
  const scheduleId = sweepScheduleId(prefix);
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

/** The schedule of the sweep, and the beginning of its workflows' ids. */
export function sweepScheduleId(queuePrefix: string): string {
  return `sweep-${queuePrefix}`;
}
