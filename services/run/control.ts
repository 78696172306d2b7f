import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { AppError, type ErrorCode } from '../../model/errors';
import { runMessages, type RunView } from '../../model/run/run-messages';

/** A change of a run in progress. */
export type RunControl = 'pause' | 'resume' | { concurrency: number };

/** How a run in progress starts its batches. */
export type RunControls = Pick<RunView, 'isPaused' | 'concurrency'>;

/** Sends the change as an update, whose validator may refuse it, and reads how the run continues. */
export async function controlRun(client: Client, workflowId: string, change?: RunControl): Promise<RunControls> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    if (change === 'pause') await handle.executeUpdate(runMessages.pause);
    else if (change === 'resume') await handle.executeUpdate(runMessages.resume);
    else if (change) await handle.executeUpdate(runMessages.setConcurrency, { args: [change.concurrency] });
    const { isPaused, concurrency } = await handle.query<RunView>(runMessages.progress);
    return { isPaused, concurrency };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError)
      throw new AppError('JOB_RUN_INVALID_STATE', 'The run has ended, or has not begun.', {}, error);
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || !cause.type) throw error;
    throw new AppError(cause.type as ErrorCode, cause.message, {}, error);
  }
}
