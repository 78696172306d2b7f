import { texts } from '../texts';

/** How a state is coloured; the word always is beside the colour. */
export type Tone = 'idle' | 'active' | 'done' | 'warn' | 'failed';

const tones: Readonly<Record<string, Tone>> = {
  QUEUED: 'idle',
  STARTING: 'active',
  RUNNING: 'active',
  CANCELING: 'active',
  COMPLETED: 'done',
  COMPLETED_WITH_WARNINGS: 'warn',
  COMPLETED_WITH_ERRORS: 'warn',
  FAILED: 'failed',
  CANCELED: 'idle',
  CRASHED: 'failed',
};

/** The states of runs that have not ended. */
export const activeStates: readonly string[] = ['QUEUED', 'STARTING', 'RUNNING', 'CANCELING'];

/** The tone of a state of a run. */
export function toneOf(state: string): Tone {
  return tones[state] ?? 'idle';
}

/** A state of a run, as a word with a mark. */
export function State({ state }: { state: string }) {
  return (
    <span className="state" data-tone={toneOf(state)}>
      {texts.states[state] ?? state}
    </span>
  );
}
