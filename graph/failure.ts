import { asGraphAppError } from './app-error';
import { GraphLibraryError } from './core/errors';
import { AppError, asAppError } from '../model/errors';

/** The AppError for a failed pipeline. An AppError of a service keeps its code, even if the library has wrapped it. */
export function graphFailure(error: unknown): AppError {
  const root = error instanceof GraphLibraryError && error.cause instanceof AppError ? error.cause : error;
  return asAppError(asGraphAppError(root), 'GRAPH_PIPELINE_FAILED');
}
