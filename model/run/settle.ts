import type { ErrorCode } from '../errors';
import { isFinal, type RunState } from './run';

/** What the workflow engine says of a run; undefined when it knows no such workflow. */
export type EngineState = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | undefined;

/** How long a QUEUED run may be unknown to the engine: the time between making the record and starting the workflow. */
export const startGraceMs = 60_000;

/**
 * The state that a run is really in. A final stored state stands. A workflow that was terminated, timed out, was lost, or
 * ended without writing a final state leaves a CRASHED run: it ended before its batches did.
 */
export function settledState(stored: RunState, engine: EngineState, ageMs: number = Infinity): RunState {
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

/** What the record says when a run was settled from outside; what nobody asked for begins with FLOW_EXECUTION_FAILED. */
export function settledMessage(state: RunState, engine: EngineState): string {
  return state === 'CANCELED' ? 'The run was cancelled.' : `${code}: ${reasonOf(state, engine)}`;
}

const code: ErrorCode = 'FLOW_EXECUTION_FAILED';

function reasonOf(state: RunState, engine: EngineState): string {
  if (state === 'FAILED') return 'The workflow failed; its history in Temporal names the reason.';
  if (engine === undefined) return 'Temporal knows no workflow of this run.';
  if (engine === 'COMPLETED') return 'The workflow ended before its batches did.';
  return engine === 'TERMINATED' ? 'The workflow was terminated.' : 'The workflow ran into its time limit.';
}
