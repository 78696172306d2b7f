import { defineQuery, defineSignal, defineUpdate, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { RunFlowInput, RunProgress } from '../model/run/run';
import { runMessages, type RunView, type WaitReport } from '../model/run/run-messages';
import { runFailure } from './failures';

const mostConcurrent = 64;
const progressQuery = defineQuery<RunView>(runMessages.progress);
const waitSignal = defineSignal<[WaitReport]>(runMessages.wait);
const pauseUpdate = defineUpdate<void>(runMessages.pause);
const resumeUpdate = defineUpdate<void>(runMessages.resume);
const concurrencyUpdate = defineUpdate<number, [number]>(runMessages.setConcurrency);

/** How many batches of the run may start at the same time. */
export function concurrencyOf({ plan }: RunFlowInput, { isPaused, concurrency }: RunProgress): number {
  return isPaused ? 0 : (concurrency ?? plan.maxConcurrentBatches);
}

/** Answers queries, and takes signals and updates of the run. `onChange` is called after each change of `progress`. */
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
  setHandler(waitSignal, ({ operator, part, waiting }) => {
    const others = (progress.waiting ?? []).filter((one) => one.operator !== operator || one.part !== part);
    setWaiting(progress, waiting ? [...others, { operator, part, ...waiting }] : others);
    onChange();
  });
  setHandler(pauseUpdate, () => change(progress, { isPaused: true }, onChange), {
    validator: () => {
      if (progress.isPaused) throw runFailure('CONFLICT', 'The run is paused already.');
    },
  });
  setHandler(resumeUpdate, () => change(progress, { isPaused: undefined }, onChange), {
    validator: () => {
      if (!progress.isPaused) throw runFailure('CONFLICT', 'The run is not paused.');
    },
  });
  setHandler(
    concurrencyUpdate,
    (concurrency) => {
      change(progress, { concurrency }, onChange);
      return concurrency;
    },
    { validator: checkConcurrency },
  );
}

/** Forgets what the operators of a finished part waited for: a worker that died did not report the end of its wait. */
export function endWaits(progress: RunProgress, part: string): void {
  if (progress.waiting)
    setWaiting(
      progress,
      progress.waiting.filter((one) => one.part !== part && !one.part.startsWith(`${part}-`)),
    );
}

/** A run that has ended waits for nothing. */
export function endAllWaits(progress: RunProgress): void {
  if (progress.waiting) setWaiting(progress, []);
}

function setWaiting(progress: RunProgress, waiting: NonNullable<RunProgress['waiting']>): void {
  const before = codesOf(progress.waiting);
  progress.waiting = waiting.length > 0 ? waiting : undefined;
  const codes = codesOf(progress.waiting);
  if (codes.join() !== before.join()) upsertSearchAttributes({ WaitingFor: codes });
}

function codesOf(waiting: RunProgress['waiting']): string[] {
  return [...new Set((waiting ?? []).map(({ code }) => code))].sort();
}

function change(progress: RunProgress, changed: Partial<RunProgress>, onChange: () => void): void {
  Object.assign(progress, changed);
  onChange();
}

function checkConcurrency(given: unknown): void {
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= mostConcurrent) return;
  throw runFailure(
    'VALIDATION_ERROR',
    `set_concurrency takes a whole number from 1 to ${mostConcurrent}; given: ${JSON.stringify(given)}.`,
  );
}
