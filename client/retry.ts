import { ApiError } from './api-error';

/** Whether the same request may succeed later: no response, or a server that is unavailable or busy. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

/** Whether the server refused the request before it did anything, so that any request may be repeated. */
export function isRefusedUnstarted(error: unknown): boolean {
  return error instanceof ApiError && error.code.toUpperCase() === 'SEARCH_BUSY';
}

/** Resolves after the time; rejects when `signal` aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    }
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The error for a request without a response; `message` is followed by the reason. */
export function createConnectionError(message: string, cause: unknown): ApiError {
  const text = `${message}: ${findFailureReason(cause)}.`;
  return new ApiError('CONNECTION_ERROR', 0, text, undefined, [], { cause });
}

/** Why a request got no response. `fetch` hides that in the cause of its error. */
function findFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
