import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import type { RunFlowInput, RunProgress } from '../model/run/run';
import { runMessages, type RunView } from '../model/run/run-messages';
import { createRunFailure } from './failures';
import { hasFailedBatches, retryFailed } from './retries';
import { takeWaits } from './waits';

const maxConcurrent = 64;
const progressQuery = defineQuery<RunView>(runMessages.progress);
const pauseUpdate = defineUpdate<void>(runMessages.pause);
const resumeUpdate = defineUpdate<void>(runMessages.resume);
const retryUpdate = defineUpdate<number>(runMessages.retryFailed);
const concurrencyUpdate = defineUpdate<number, [number]>(runMessages.setConcurrency);

/** How many batches of the run may start at the same time. */
export function getConcurrency({ plan }: RunFlowInput, { isPaused, concurrency }: RunProgress): number {
  return isPaused ? 0 : (concurrency ?? plan.maxConcurrentBatches);
}

/** Handles queries, signals and updates of the run. `onChange` is called after each change of `progress`. */
export function takeMessages(input: RunFlowInput, progress: RunProgress, onChange: () => void): void {
  setHandler(progressQuery, () => ({
    totals: progress.totals,
    operators: progress.operators,
    failures: progress.failures,
    warnings: progress.warnings,
    isPaused: progress.isPaused ?? false,
    concurrency: progress.concurrency ?? input.plan.maxConcurrentBatches,
    waiting: progress.waiting ?? [],
  }));
  takeWaits(progress, onChange);
  setHandler(pauseUpdate, () => change(progress, { isPaused: true }, onChange), {
    validator: () => {
      if (progress.isPaused) throw createRunFailure('CONFLICT', 'The run is already paused.');
    },
  });
  setHandler(resumeUpdate, () => change(progress, { isPaused: undefined }, onChange), {
    validator: () => {
      if (!progress.isPaused) throw createRunFailure('CONFLICT', 'The run is not paused.');
    },
  });
  setHandler(
    retryUpdate,
    () => {
      const batches = retryFailed(progress);
      onChange();
      return batches;
    },
    {
      validator: () => {
        if (hasFailedBatches(progress)) return;
        throw createRunFailure(
          'CONFLICT',
          'There is nothing to retry: no finished batch of this stage has failed documents, or they are already being retried.',
        );
      },
    },
  );
  setHandler(
    concurrencyUpdate,
    (concurrency) => {
      change(progress, { concurrency }, onChange);
      return concurrency;
    },
    { validator: checkConcurrency },
  );
}

function change(progress: RunProgress, changed: Partial<RunProgress>, onChange: () => void): void {
  Object.assign(progress, changed);
  onChange();
}

function checkConcurrency(value: unknown): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxConcurrent) return;
  throw createRunFailure(
    'VALIDATION_ERROR',
    `set_concurrency takes a whole number from 1 to ${maxConcurrent}; given: ${JSON.stringify(value)}.`,
  );
}
