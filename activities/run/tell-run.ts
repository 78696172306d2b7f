import { Context } from '@temporalio/activity';
import type { OperatorCall } from '../../model/run/run';
import { runMessages } from '../../model/run/run-messages';
import { getWorkflowId } from '../../services/run/workflow-id';
import type { ConductOptions } from '../conduct';
import type { ActivityDeps } from '../deps';
import { waitSignal } from '../waits';
import type { createSnapshots } from './snapshots';

/**
 * Shows in the run's message and in the Temporal UI which service an activity of the run waits for, because a mistyped host looks like one
 * that is down.
 */
export function tellRun(
  { runsStore, waitMs }: ActivityDeps,
  { runId, operator, part }: Pick<OperatorCall, 'runId' | 'operator' | 'part'>,
  snapshot: ReturnType<typeof createSnapshots>,
): ConductOptions {
  const signal = waitSignal([runId], { operator, part }, async (id, report) =>
    Context.current()
      .client.workflow.getHandle(getWorkflowId(await snapshot(id)))
      .signal(runMessages.wait, report),
  );
  return {
    waitMs,
    onOutage: async (waitingFor, { since, until } = { since: '' }) => {
      const message =
        waitingFor === undefined
          ? ''
          : `'${operator}' waits for a service that is away. ${waitingFor} Waiting since ${since}, until ${until} at the latest.`;
      // Either service may be unavailable.
      await Promise.allSettled([runsStore.update(runId, { message }), signal(waitingFor, since)]);
    },
  };
}
