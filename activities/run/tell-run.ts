import { Context } from '@temporalio/activity';
import type { OperatorCall } from '../../model/run/run';
import { runMessages } from '../../model/run/run-messages';
import type { ConductOptions } from '../conduct';
import type { ActivityDeps } from '../deps';
import { createWaitSignal } from '../waits';

/**
 * Shows in the record of the run and in the Temporal UI which service an activity of the run waits for, because a mistyped host looks like one
 * that is down.
 */
export function createRunOutageReport(
  { runsStore, waitMs }: ActivityDeps,
  { runId, operator, part }: Pick<OperatorCall, 'runId' | 'operator' | 'part'>,
): ConductOptions {
  const { client, info } = Context.current();
  const run = findRunWorkflow(info.workflowExecution?.workflowId ?? '', runId);
  const signal = createWaitSignal([run], { operator, part }, (id, report) =>
    client.workflow.getHandle(id).signal(runMessages.wait, report),
  );
  return {
    waitMs,
    onOutage: async (failure, outage) => {
      const wait = failure && outage && { code: failure.code, message: failure.message, ...outage };
      // Either service may be unavailable.
      await Promise.allSettled([runsStore.recordWait(runId, { operator, part }, wait), signal(failure?.code, outage)]);
    },
  };
}

/**
 * The id of the workflow of a run, from the workflow id of the run or one of its batches. Not read from the record, because the
 * database may be what is waited for.
 */
export function findRunWorkflow(workflowId: string, runId: string): string {
  const end = workflowId.indexOf(runId);
  return end < 0 ? runId : workflowId.slice(0, end + runId.length);
}
