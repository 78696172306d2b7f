import { AppError, asAppError, spellCode } from '../../model/errors';
import type { BulkReply } from '../../model/wire-bulk';
import type { ApiOptions } from '../services';

type Result = BulkReply['results'][number];

/**
 * Applies a change to each item, in order. A rejected item does not affect the others; once a
 * server is unavailable or the client is gone, the remaining items are rejected untried.
 */
export async function applyToItems<T>(
  items: readonly T[],
  { getId, act }: { getId: (item: T) => string; act: (item: T) => Promise<Pick<Result, 'job_run_id'> | undefined> },
  { options, signal }: { options: Pick<ApiOptions, 'codeCase'>; signal: AbortSignal },
): Promise<BulkReply> {
  const results: Result[] = [];
  let unavailable: AppError | undefined;
  const toRefusedResult = (id: string, { code, message }: AppError): Result => ({
    id,
    outcome: 'refused',
    code: spellCode(code, options.codeCase),
    message,
  });
  for (const item of items) {
    const id = getId(item);
    if (signal.aborted) unavailable ??= new AppError('SERVICE_UNAVAILABLE', 'The request ended before this item.');
    if (unavailable) {
      results.push(toRefusedResult(id, unavailable));
      continue;
    }
    try {
      results.push({ id, outcome: 'done', ...(await act(item)) });
    } catch (error) {
      const problem = asAppError(error);
      // Unexpected errors are logged, as for a reply of status 500.
      if (problem.code === 'INTERNAL_ERROR') throw error;
      if (problem.status >= 500) unavailable = problem;
      results.push(toRefusedResult(id, problem));
    }
  }
  const done = results.filter(({ outcome }) => outcome === 'done').length;
  return { results, done, refused: results.length - done };
}
