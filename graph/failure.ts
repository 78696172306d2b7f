import { AppError, asAppError, isDiskFull } from '../model/errors';
import { asGraphAppError } from './app-error';
import { GraphLibraryError } from './core/errors';

/** The AppError for a failed pipeline. An AppError of a service keeps its code, even if the library has wrapped it. */
export function toGraphFailure(error: unknown): AppError {
  return asAppError(findServiceError(error) ?? asGraphAppError(error), 'GRAPH_PIPELINE_FAILED');
}

/**
 * The AppError of a service, or of a full disk, that the library has wrapped, once or by stage; undefined if the library failed by itself.
 */
export function findServiceError(error: unknown): AppError | undefined {
  let inner = error;
  while (inner instanceof GraphLibraryError) inner = inner.cause;
  return inner instanceof AppError || isDiskFull(inner) ? asAppError(inner) : undefined;
}
