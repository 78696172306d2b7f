import { AppError, errorCatalogue } from '../../model/errors';
import { ConfigurationError, ExtractionError } from '../core/errors';
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model';

/** The model to ask, and the signal that cancels the request. */
export interface ModelCall {
  model: LanguageModel;
  signal?: AbortSignal;
}

/**
 * Sends one request. Wraps errors of the model in an ExtractionError with `unit` in its details and a flag that says whether a
 * retry can help. Rethrows errors of this library and cancellations unchanged.
 */
export async function askModel(
  { model, signal }: ModelCall,
  unit: Record<string, string | number>,
  request: Omit<ModelRequest, 'signal'>,
): Promise<ModelAnswer> {
  signal?.throwIfAborted();
  try {
    return await model.ask({ ...request, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof ExtractionError || signal?.aborted) throw error;
    const place = Object.entries(unit).map(([name, value]) => `${name} ${value}`);
    const details = { ...unit, reason: 'model_failed', retryable: isRetryable(error) };
    throw new ExtractionError(`The language model failed on ${place.join(', ')}`, details, error);
  }
}

// The code of an AppError decides; other errors are assumed to be retryable.
function isRetryable(error: unknown): boolean {
  return !(error instanceof AppError) || errorCatalogue[error.code].retry !== undefined;
}
