import type { BatchReport, RunProgress } from '../model/run/run';
import { addBatch, removeBatch } from './progress';

/** Batches with failed documents that are remembered, so that the argument of the next execution stays small. */
const maxFailedBatches = 50;

/** Adds the report of a batch. Replaces its earlier report if the batch was repeated. */
export function takeReport(progress: RunProgress, index: number, report: BatchReport): void {
  const earlier = progress.failedBatches?.find((failedBatch) => failedBatch.index === index);
  if (earlier) removeBatch(progress, earlier.report);
  addBatch(progress, report);
  const others = (progress.failedBatches ?? []).filter((failedBatch) => failedBatch !== earlier);
  const failed = hasFailures(report) ? [{ index, retries: earlier?.retries ?? 0, report }] : [];
  const batches = [...others, ...failed].slice(0, maxFailedBatches);
  progress.failedBatches = batches.length > 0 ? batches : undefined;
}

/** True when there is a batch that `retryFailed` would repeat. */
export function hasFailedBatches({ failedBatches = [], retries = [] }: RunProgress): boolean {
  return failedBatches.some(({ index }) => !retries.includes(index));
}

/** Queues every batch with failed documents for a retry, and returns how many were added. */
export function retryFailed(progress: RunProgress): number {
  const retriedIds = new Set(progress.retries);
  const more = (progress.failedBatches ?? []).map(({ index }) => index).filter((index) => !retriedIds.has(index));
  progress.retries = [...retriedIds, ...more];
  return more.length;
}

/** Removes the next batch to repeat from the queue and returns it; `retry` counts its retries, including this one. */
export function takeNextRetry(progress: RunProgress): { index: number; retry: number } | undefined {
  const [index, ...remaining] = progress.retries ?? [];
  progress.retries = remaining.length > 0 ? remaining : undefined;
  const batch = progress.failedBatches?.find((failedBatch) => failedBatch.index === index);
  if (index === undefined || !batch) return undefined;
  batch.retries += 1;
  return { index, retry: batch.retries };
}

/** Called when a stage ends: its batches cannot be repeated, because later stages read their tables. */
export function forgetFailedBatches(progress: RunProgress): void {
  progress.failedBatches = undefined;
  progress.retries = undefined;
}

function hasFailures({ documents, operators }: BatchReport): boolean {
  return documents.failed > 0 || Object.values(operators).some(({ failed }) => failed > 0);
}
