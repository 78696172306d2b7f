import type { ErrorEntry } from '../model/wire-errors';

/** A failed request. `code` is that of the first problem, `entries` has all of them, and `trace` identifies the request in the logs. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Seconds after which the request may be retried. */
  readonly retryAfter: number | undefined;
  constructor(
    /** A code of the catalogue; CONNECTION_ERROR if there was no response. */
    readonly code: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
    message: string,
    readonly trace?: string,
    readonly entries: readonly ErrorEntry[] = [],
    options?: ErrorOptions & { retryAfter?: number | undefined },
  ) {
    super(message, options);
    this.retryAfter = options?.retryAfter;
  }
}
