import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from '@temporalio/workflow';
import { errorCatalogue, type ErrorCode } from '../model/errors';
import type { PartReport } from '../model/run';

/** The code and message of the failure that lies at the bottom of what a workflow catches. */
export function failureOf(error: unknown): { code: ErrorCode; message: string } {
  const root = rootOf(error);
  if (root instanceof ApplicationFailure && root.type && root.type in errorCatalogue) {
    return { code: root.type as ErrorCode, message: root.message };
  }
  if (root instanceof TimeoutFailure) {
    return {
      code: 'PREFECT_FLOW_TASK_FAILED',
      message: 'The worker that did this stopped answering, in every attempt.',
    };
  }
  return { code: 'PREFECT_FLOW_TASK_FAILED', message: root instanceof Error ? root.message : String(root) };
}

/** True for failures that no smaller batch would avoid: wrong configuration, refused credentials, a failing filter. */
export function endsRun(error: unknown): boolean {
  const root = rootOf(error);
  if (!(root instanceof ApplicationFailure)) return false;
  return Boolean(root.type && root.type in errorCatalogue && errorCatalogue[root.type as ErrorCode].scope === 'run');
}

/** Ends the workflow with a code of the catalogue; never tried again. */
export function runFailure(code: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true });
}

/** For `fail_fast`: a failed document ends the run with its own code. */
export function endOnFailure(report: PartReport): void {
  const [first] = report.failures;
  if (first) throw runFailure(first.code, `fail_fast: ${first.name}: ${first.message}`);
}

function rootOf(error: unknown): unknown {
  let root = error;
  while ((root instanceof ActivityFailure || root instanceof ChildWorkflowFailure) && root.cause) root = root.cause;
  return root;
}
