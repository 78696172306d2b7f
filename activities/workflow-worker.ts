import { type CompiledWorkerOptions, Worker } from '@temporalio/worker';

/**
 * A worker without the SDK's limit of 5 s for each step of a workflow. With a limit, Node starts and ends a thread for each of the
 * dozen calls into the sandbox that a small workflow takes. The limit is for workflows with endless loops; ours have none, and their
 * longest loops go over the parts of a run.
 */
export class WorkflowWorker extends Worker {
  protected static override createWorkflowCreator(
    ...[bundle, options, logger]: Parameters<(typeof Worker)['createWorkflowCreator']>
  ): ReturnType<(typeof Worker)['createWorkflowCreator']> {
    // The options accept no value that means "none".
    const unlimited = { ...options, isolateExecutionTimeoutMs: undefined } as unknown as CompiledWorkerOptions;
    return super.createWorkflowCreator(bundle, unlimited, logger);
  }
}
