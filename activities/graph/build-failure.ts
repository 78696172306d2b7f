import { AppError } from '../../model/errors';
import type { ThreadFailure } from '../../services/graph/builder';

/** Turns an error of the build into a failure that can be reported; rethrows errors without a code. */
export function buildFailure(error: unknown): { failure: ThreadFailure } {
  if (!(error instanceof AppError)) throw error;
  return { failure: { code: error.code, message: error.message } };
}
