import { asGraphAppError } from './app-error';
import { GraphLibraryError } from './core/errors';
import { AppError, asAppError } from '../model/errors';

/** What ended a pipeline: what it met in the services says itself what it is, whatever the library wrapped around it. */
export function graphFailure(error: unknown): AppError {
  const root = error instanceof GraphLibraryError && error.cause instanceof AppError ? error.cause : error;
  return asAppError(asGraphAppError(root), 'GRAPH_PIPELINE_FAILED');
}
