import type { RunState } from '../model/run/run';

/** Exit codes of every command. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, completedWithErrors: 3, cancelled: 130 } as const;

/** The exit code for the final state of a run. */
export function getExitCode(state: RunState): number {
  if (state === 'COMPLETED' || state === 'COMPLETED_WITH_WARNINGS') return exitCodes.completed;
  if (state === 'COMPLETED_WITH_ERRORS') return exitCodes.completedWithErrors;
  return state === 'CANCELED' ? exitCodes.cancelled : exitCodes.failed;
}
