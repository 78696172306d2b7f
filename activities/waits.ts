import { Context } from '@temporalio/activity';
import { runMessages, type WaitReport } from '../model/run/run-messages';
import type { ConductOptions } from './conduct';
import type { Outage } from './outage';

/** Workflow types of conversion parts have this suffix; only the workflow of the whole task reports waits. */
const partSuffix = /\/part-\d+$/;

/**
 * Signals the workflow of this activity when it begins and stops waiting for a server. `part` distinguishes activities of one
 * type.
 */
export function createOutageReport(part = ''): Pick<ConductOptions, 'onOutage'> {
  const context = Context.current();
  const { activityType: operator, workflowExecution } = context.info;
  const workflowId = workflowExecution?.workflowId ?? '';
  const signal = createWaitSignal(
    [...new Set([workflowId, workflowId.replace(partSuffix, '')])],
    { operator, part },
    (id, report) => context.client.workflow.getHandle(id).signal(runMessages.wait, report),
  );
  return { onOutage: (failure, outage) => signal(failure?.code, outage) };
}

/** Signals each of these workflows when a wait begins and when it ends. */
export function createWaitSignal(
  workflowIds: readonly string[],
  what: Pick<WaitReport, 'operator' | 'part'>,
  send: (workflowId: string, report: WaitReport) => Promise<unknown>,
): (code: string | undefined, outage?: Outage) => Promise<void> {
  // An attempt in another process may have reported a wait, so that the first report of an end is sent too.
  let reported: string | undefined | null = null;
  return async (code, { since, until } = { since: '' }) => {
    if (code === reported) return;
    const waiting = { code: code ?? '', since, ...(until ? { until } : {}) };
    const report: WaitReport = { ...what, ...(code === undefined ? {} : { waiting }) };
    for (const id of workflowIds) await send(id, report);
    reported = code;
  };
}
