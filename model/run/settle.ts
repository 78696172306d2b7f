import type { ErrorCode } from '../errors';
import { isFinal, type RunState } from './run';

/** The state of a run's workflow in the workflow engine; undefined if the engine has none. */
export type EngineState = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | undefined;

/** How long a QUEUED run may be unknown to the engine: the time between creating the record and starting the workflow. */
export const startGraceMs = 60_000;

/**
 * The true state of a run. A final stored state does not change. If the workflow was terminated, timed out, was lost, or ended without
 * writing a final state, the run is CRASHED.
 */
export function settleState(stored: RunState, engine: EngineState, ageMs: number = Infinity): RunState {
  if (isFinal(stored)) return stored;
  switch (engine) {
    case 'RUNNING':
      return stored;
    case 'CANCELED':
    case 'FAILED':
      return engine;
    case undefined:
      return stored === 'QUEUED' && ageMs < startGraceMs ? stored : 'CRASHED';
    default:
      return 'CRASHED';
  }
}

/** The message of a run that was settled from outside. Unless the run was cancelled, it begins with FLOW_EXECUTION_FAILED. */
export function getSettledMessage(state: RunState, engine: EngineState): string {
  return state === 'CANCELED' ? 'The run was cancelled.' : `${failureCode}: ${getReason(state, engine)}`;
}

const failureCode: ErrorCode = 'FLOW_EXECUTION_FAILED';

function getReason(state: RunState, engine: EngineState): string {
  if (state === 'FAILED') return 'The workflow failed; its history in Temporal names the reason.';
  if (engine === undefined) return 'The workflow of this run does not exist in Temporal.';
  if (engine === 'COMPLETED') return 'The workflow ended before its batches did.';
  return engine === 'TERMINATED' ? 'The workflow was terminated.' : 'The workflow ran into its time limit.';
}
