import { AppError } from '../model/errors';

/** Work stops after this many consecutive failures. */
const maxFailures = 5;
/** Failures that would occur again on every retry. */
const hopeless = new Set([
  'HOSTEDMODEL_AUTH_FAILED',
  'HOSTEDMODEL_MODEL_NOT_FOUND',
  'LOCALMODEL_MODEL_NOT_FOUND',
  'ADDRESS_NOT_ALLOWED',
  'OPERATOR_CONFIGURATION_INVALID',
]);

/** How items are processed. */
export interface Turns<Item> {
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
  { concurrency, work, failed }: Turns<Item>,
): Promise<{ left: readonly Item[]; error?: AppError }> {
  let next = 0;
  let inRow = 0;
  let end: AppError | undefined;
  const take = async () => {
    while (next < items.length && !end) {
      const item = items[next] as Item;
      next += 1;
      try {
        await work(item);
        inRow = 0;
      } catch (cause) {
        const error = toAppError(cause);
        failed(item, error);
        inRow += 1;
        if (hopeless.has(error.code) || inRow >= maxFailures) end = error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(concurrency, items.length)) }, take));
  return { left: items.slice(next), ...(end ? { error: end } : {}) };
}

function toAppError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('CONVERSION_FAILED', cause instanceof Error ? cause.message : String(cause), {}, cause);
}
