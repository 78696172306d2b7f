import { AppError, type ErrorCode } from '../model/errors';
import { ConfigurationError, ExtractionError, GraphLibraryError, ValueError } from './core/errors';

/** Converts errors of this library to an AppError with code and problems; returns any other error unchanged. */
export function asGraphAppError(error: unknown): unknown {
  if (!(error instanceof GraphLibraryError || error instanceof ValueError)) return error;
  const listed = error instanceof GraphLibraryError ? error.details['problems'] : undefined;
  const problems = Array.isArray(listed) ? listed.map((message) => ({ message: String(message) })) : undefined;
  return new AppError(getCode(error), error.message, problems && { problems }, error);
}

function getCode(error: Error): ErrorCode {
  if (error instanceof ConfigurationError) return 'GRAPH_CONFIGURATION_INVALID';
  if (error instanceof ValueError) return 'GRAPH_VALUE_INVALID';
  return error instanceof ExtractionError ? 'GRAPH_EXTRACTION_FAILED' : 'GRAPH_PIPELINE_FAILED';
}
