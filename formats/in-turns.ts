import { AppError } from '../model/errors';

/** After so many failures one after the other nothing more is asked. */
const mostFailures = 5;
/** Failures that would only come again. */
const hopeless = new Set([
  'HOSTEDMODEL_AUTH_FAILED',
  'HOSTEDMODEL_MODEL_NOT_FOUND',
  'LOCALMODEL_MODEL_NOT_FOUND',
  'ADDRESS_NOT_ALLOWED',
  'OPERATOR_CONFIGURATION_INVALID',
]);

/** How items are asked for. */
export interface Turns<Item> {
  /** Items in work at a time. */
  concurrency: number;
  work: (item: Item) => Promise<void>;
  failed: (item: Item, error: AppError) => void;
}

/**
 * Works on items in their order, several at a time. One that fails does not end the others, unless its failure would come
 * again or too many failed one after the other: then the items that are left are given back with the last failure.
 */
export async function inTurns<Item>(
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
        const error = asAppErrorOf(cause);
        failed(item, error);
        inRow += 1;
        if (hopeless.has(error.code) || inRow >= mostFailures) end = error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(concurrency, items.length)) }, take));
  return { left: items.slice(next), ...(end ? { error: end } : {}) };
}

function asAppErrorOf(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('CONVERSION_FAILED', cause instanceof Error ? cause.message : String(cause), {}, cause);
}
