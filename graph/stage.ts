import { errorText, ExtractionError, GraphLibraryError, PipelineError } from './core/errors';

/** Does the work of a stage. What is thrown gets its name, unless it is an error of the library or a cancellation. */
export async function atStage<T>(stage: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GraphLibraryError || isCancellation(error)) throw error;
    throw new PipelineError(failedAt(stage), { stage, error: errorText(error) }, error);
  }
}

/** The same as the peer reports it: every error is a PipelineError, also the library's own, which is its cause. */
export async function atPeerStage<T>(stage: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PipelineError || isCancellation(error)) throw error;
    throw new PipelineError(failedAt(stage), { stage, error: errorText(error), ...kindOf(error) }, error);
  }
}

const failedAt = (stage: string) => `The pipeline failed at the stage '${stage}'`;
// By its name: a signal may come of another realm.
const isCancellation = (error: unknown) => (error as { name?: unknown } | null)?.name === 'AbortError';

// Whatever kept a document from being read, the peer calls it that nothing was extracted.
function kindOf(error: unknown) {
  const type = error instanceof Error ? error.name : typeof error;
  const reason = error instanceof ExtractionError ? 'no_models_extracted' : undefined;
  return { error_type: type, ...(reason === undefined ? {} : { reason }) };
}
