import {
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScheduledRunInput } from '../model/run/run';
import { runActivities } from './activities';
import { toFailure, createRunFailure } from './failures';
import { runFlow } from './run-flow';
import { describeWaits, endAllWaits, takeWaits, type Waits } from './waits';

/**
 * One due time of a schedule. Creates a run of the flow and lasts until that run ends, so that the schedule knows when the
 * previous run is not finished. While another run of the flow is active, starts nothing and returns its id as `skipped`.
 */
export async function scheduledRun(input: ScheduledRunInput): Promise<{ runId?: string; skipped?: string }> {
  const { workflowId } = workflowInfo();
  const waits: Waits = {};
  const show = () => setCurrentDetails(describeWaits(waits).join('\n'));
  takeWaits(waits, show);
  try {
    const start = await runActivities.make_scheduled_run({ ...input, key: workflowId });
    endAllWaits(waits);
    show();
    if (!start.run) return { skipped: start.holder };
    await executeChild(runFlow, {
      workflowId: start.workflowId ?? start.run.runId,
      args: [start.run],
      searchAttributes: start.searchAttributes,
      staticSummary: start.summary,
      memo: start.memo,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    });
    return { runId: start.run.runId };
  } catch (error) {
    endAllWaits(waits);
    if (isCancellation(error)) throw error;
    const { code, message } = toFailure(error);
    throw createRunFailure(code, message);
  }
}
