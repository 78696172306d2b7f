import { texts } from '../texts';

/** The colour of a state; the word always accompanies it. */
export type Tone = 'idle' | 'active' | 'done' | 'warn' | 'failed';

const tones: Readonly<Record<string, Tone>> = {
  QUEUED: 'idle',
  STARTING: 'active',
  RUNNING: 'active',
  WAITING: 'warn',
  CANCELING: 'active',
  COMPLETED: 'done',
  COMPLETED_WITH_WARNINGS: 'warn',
  COMPLETED_WITH_ERRORS: 'warn',
  FAILED: 'failed',
  CANCELED: 'idle',
  CRASHED: 'failed',
};

/** A filter for runs in either state of those that ended early. */
export const brokenStates = 'FAILED,CRASHED';
/** The states of runs that have not ended. */
export const activeStates: readonly string[] = ['QUEUED', 'STARTING', 'RUNNING', 'CANCELING'];

/** The state of a run as the console shows it: a run that waits for an unavailable server is `WAITING`. */
export function findShownState({ status, waiting }: { status: string; waiting?: readonly unknown[] }): string {
  return waiting && status === 'RUNNING' ? 'WAITING' : status;
}

/** The tone of a run state. */
export function getTone(state: string): Tone {
  return tones[state] ?? 'idle';
}

/** The state of a run, as a word with a symbol. */
export function State({ state }: { state: string }) {
  return (
    <span className="state" data-tone={getTone(state)}>
      {texts.states[state] ?? state}
    </span>
  );
}
