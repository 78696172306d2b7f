import type { RunOutcome, RunProgress, Waiting } from './run';

/** Names of the messages to the workflow of a run, as shown in the Temporal UI. */
export const runMessages = {
  /** Query without arguments: a RunView. */
  progress: 'progress',
  /** Update without arguments: no further batch starts until `resume`; running ones finish. */
  pause: 'pause',
  /** Update without arguments. */
  resume: 'resume',
  /** Update with one number from 1 to 64: how many batches run at the same time. */
  setConcurrency: 'set_concurrency',
  /** Update without arguments: repeats the batches of this stage that have failed documents; returns their number. */
  retryFailed: 'retry_failed',
  /** Signal from operator activities: a WaitReport. */
  wait: 'wait',
} as const;

/** The message of an operator activity when it begins to wait for a service, and without `waiting` when the wait is over. */
export interface WaitReport {
  operator: string;
  part: string;
  waiting?: Pick<Waiting, 'code' | 'since' | 'until'>;
}

/** The answer to the query `progress`. */
export interface RunView extends Pick<RunOutcome, 'totals' | 'failures' | 'warnings'>, Pick<RunProgress, 'operators'> {
  isPaused: boolean;
  concurrency: number;
  waiting: readonly Waiting[];
}
