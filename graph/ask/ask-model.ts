import { AppError, errorCatalogue } from '../../model/errors';
import { ConfigurationError, ExtractionError } from '../core/errors';
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model';

/** Who is asked, and what ends the asking. */
export interface Asking {
  model: LanguageModel;
  signal?: AbortSignal;
}

/**
 * Asks once. What the model throws comes as an ExtractionError with `unit` in its details, which says whether trying again can
 * help; the library's own errors and a cancellation come as they are.
 */
export async function askModel(
  { model, signal }: Asking,
  unit: Record<string, string | number>,
  request: Omit<ModelRequest, 'signal'>,
): Promise<ModelAnswer> {
  signal?.throwIfAborted();
  try {
    return await model.ask({ ...request, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof ExtractionError || signal?.aborted) throw error;
    const place = Object.entries(unit).map(([name, value]) => `${name} ${value}`);
    const details = { ...unit, reason: 'model_failed', retryable: mayBeTriedAgain(error) };
    throw new ExtractionError(`The language model failed on ${place.join(', ')}`, details, error);
  }
}

// An error of the product says so itself by its code; of a foreign one nothing is known.
function mayBeTriedAgain(error: unknown): boolean {
  return !(error instanceof AppError) || errorCatalogue[error.code].retry !== 'never';
}
