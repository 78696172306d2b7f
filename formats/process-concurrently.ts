import { AppError } from '../model/errors';

/** Processing stops after this many consecutive failures. */
const maxConsecutiveFailures = 5;
/** Failures that would occur again on every retry. */
const permanentErrors = new Set([
  'HOSTEDMODEL_AUTH_FAILED',
  'HOSTEDMODEL_MODEL_NOT_FOUND',
  'LOCALMODEL_MODEL_NOT_FOUND',
  'ADDRESS_NOT_ALLOWED',
  'OPERATOR_CONFIGURATION_INVALID',
]);

export interface ProcessOptions<Item> {
  /** Maximum number of items in progress. */
  concurrency: number;
  work: (item: Item) => Promise<void>;
  failed: (item: Item, error: AppError) => void;
}

/**
 * Processes items in order, several at a time. A failed item does not stop the others, unless every item would fail the same
 * way or too many failed in a row. Then it returns the remaining items and the last error.
 */
export async function processConcurrently<Item>(
  items: readonly Item[],
  { concurrency, work, failed }: ProcessOptions<Item>,
): Promise<{ remaining: readonly Item[]; error?: AppError }> {
  let next = 0;
  let consecutiveFailures = 0;
  let finalError: AppError | undefined;
  const processNext = async () => {
    while (next < items.length && !finalError) {
      const item = items[next] as Item;
      next += 1;
      try {
        await work(item);
        consecutiveFailures = 0;
      } catch (cause) {
        const error = toAppError(cause);
        failed(item, error);
        consecutiveFailures += 1;
        if (permanentErrors.has(error.code) || consecutiveFailures >= maxConsecutiveFailures) finalError = error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(concurrency, items.length)) }, processNext));
  return { remaining: items.slice(next), ...(finalError ? { error: finalError } : {}) };
}

function toAppError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('CONVERSION_FAILED', cause instanceof Error ? cause.message : String(cause), {}, cause);
}
