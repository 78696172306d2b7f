import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  ContinueAsNew,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import { errorCatalogue, type ErrorCode } from '../model/errors';
import type { PartReport } from '../model/run/run';

/**
 * The code and message of the root cause of a caught error. An error without one of our codes becomes PREFECT_FLOW_TASK_FAILED
 * when it comes from an activity, FLOW_EXECUTION_FAILED when it comes from the workflow or a child.
 */
export function toFailure(error: unknown): { code: ErrorCode; message: string } {
  const root = findRoot(error);
  if (root instanceof ApplicationFailure && root.type && root.type in errorCatalogue) {
    return { code: root.type as ErrorCode, message: root.message };
  }
  const code = isOfActivity(error) ? 'PREFECT_FLOW_TASK_FAILED' : 'FLOW_EXECUTION_FAILED';
  if (isUnregistered(root))
    return {
      code,
      message: 'The worker does not have this operator: start it with the same DOCLOOM_CUSTOM_OPERATORS.',
    };
  if (root instanceof TimeoutFailure) return { code, message: 'The worker stopped answering in every attempt.' };
  return { code, message: root instanceof Error ? root.message : String(root) };
}

/** True for failures that a smaller batch would not avoid: wrong configuration, rejected credentials, a failing filter. */
export function endsRun(error: unknown): boolean {
  const root = findRoot(error);
  if (!(root instanceof ApplicationFailure)) return false;
  return Boolean(root.type && root.type in errorCatalogue && errorCatalogue[root.type as ErrorCode].scope === 'run');
}

/** True if the last attempt ended because its worker sent no heartbeats: it died, hangs, or cannot reach Temporal. */
export function isWorkerLost(error: unknown): boolean {
  const root = findRoot(error);
  return root instanceof TimeoutFailure && root.timeoutType === 'HEARTBEAT';
}

/** The code of a failure that ends a workflow, for traces; undefined if the workflow continues in another execution. */
export function findFailureCode(error: unknown): string | undefined {
  if (error instanceof ContinueAsNew) return undefined;
  return isCancellation(error) ? 'CANCELED' : toFailure(error).code;
}

/** A failure that ends the workflow with a code of the catalogue and is never retried. */
export function createRunFailure(code: string, message: string): ApplicationFailure {
  const failure = ApplicationFailure.create({ type: code, message, nonRetryable: true });
  // The Temporal UI shows the stack between message and code; it says nothing about the cause.
  failure.stack = '';
  return failure;
}

/** For `fail_fast`: throws the first failed document's error, which ends the run with its code. */
export function endOnFailure(report: PartReport): void {
  const [first] = report.failures;
  if (first) throw createRunFailure(first.code, `fail_fast: ${first.name}: ${first.message}`);
}

/** True for the refusal of the SDK to run an activity that the worker does not have. */
const isUnregistered = (root: unknown) =>
  root instanceof ApplicationFailure && root.type === 'NotFoundError' && root.message.includes('is not registered on');

function findRoot(error: unknown): unknown {
  let root = error;
  while ((root instanceof ActivityFailure || root instanceof ChildWorkflowFailure) && root.cause) root = root.cause;
  return root;
}

function isOfActivity(error: unknown): boolean {
  if (error instanceof ActivityFailure) return true;
  return error instanceof ChildWorkflowFailure && isOfActivity(error.cause);
}
