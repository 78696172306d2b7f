import { CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow';
import { countNouns } from '../model/count-nouns';
import type { RunFlowInput } from '../model/run/run';
import { createRunFailure } from './failures';

const minuteMs = 60_000;

/**
 * Runs the work within the time limit of its plan, counted from the start of the first execution of the run. When the time
 * is over, the work is cancelled, batches record what they did, and the run fails with RUN_TIME_LIMIT_EXCEEDED.
 */
export async function runWithinTimeLimit<T>(
  { plan: { timeLimitMinutes } }: RunFlowInput,
  work: () => Promise<T>,
): Promise<T> {
  if (timeLimitMinutes === undefined) return work();
  const { startTime, runStartTime } = workflowInfo();
  const leftMs = timeLimitMinutes * minuteMs - (runStartTime.getTime() - startTime.getTime());
  const run = CancellationScope.current();
  try {
    return await CancellationScope.withTimeout(Math.max(1, leftMs), work);
  } catch (error) {
    // A request to cancel the run also reaches the enclosing scope.
    if (!isCancellation(error) || run.consideredCancelled) throw error;
    throw createRunFailure(
      'RUN_TIME_LIMIT_EXCEEDED',
      `The run was ended after ${countNouns(timeLimitMinutes, 'minute')} (time_limit_minutes); documents that were done by then stay done.`,
    );
  }
}
