import type { BatchReport } from '../model/run/run';
import { createEmptyBatch, createEmptyProgress } from './progress';
import { forgetFailedBatches, hasFailedBatches, takeNextRetry, retryFailed, takeReport } from './retries';

const report = (completed: number, failed: number): BatchReport => ({
  ...createEmptyBatch(),
  documents: { completed, failed, skipped: 0 },
  operators: { read: { in: completed + failed, out: completed, failed, skipped: 0, seconds: 1 } },
  pages: completed,
  failures: Array.from({ length: failed }, (_, index) => ({
    ...{ id: `d${index}`, name: 'd', code: 'DOCUMENT_CORRUPT', message: 'broken' },
  })),
});

test('a repeated batch replaces its earlier counts and failures', () => {
  const progress = createEmptyProgress();
  takeReport(progress, 0, report(4, 0));
  takeReport(progress, 1, report(2, 2));
  expect(hasFailedBatches(progress)).toBe(true);
  expect(retryFailed(progress)).toBe(1);
  expect(hasFailedBatches(progress)).toBe(false);
  expect(takeNextRetry(progress)).toEqual({ index: 1, retry: 1 });
  takeReport(progress, 1, report(4, 0));
  expect(progress.totals).toMatchObject({ completed: 8, failed: 0, pages: 8 });
  expect(progress.operators['read']).toMatchObject({ in: 8, out: 8, failed: 0 });
  expect([progress.failures, progress.failedBatches, takeNextRetry(progress)]).toEqual([[], undefined, undefined]);
});

test('a failed repeated batch can be repeated again, and counts how often', () => {
  const progress = createEmptyProgress();
  takeReport(progress, 3, report(0, 1));
  for (const retry of [1, 2]) {
    retryFailed(progress);
    expect(takeNextRetry(progress)).toEqual({ index: 3, retry });
    takeReport(progress, 3, report(0, 1));
  }
  expect(progress.totals.failed).toBe(1);
  forgetFailedBatches(progress);
  expect(retryFailed(progress)).toBe(0);
});

test('no more than 50 batches are remembered', () => {
  const progress = createEmptyProgress();
  for (let index = 0; index < 60; index += 1) takeReport(progress, index, report(0, 1));
  expect(retryFailed(progress)).toBe(50);
  expect(progress.totals.failed).toBe(60);
});
