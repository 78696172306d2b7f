import { errorText, ExtractionError, GraphLibraryError, PipelineError } from './core/errors';

/** Runs a stage. Errors are wrapped with the name of the stage, except errors of the library and cancellations. */
export async function runStage<T>(stage: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GraphLibraryError || isCancellation(error)) throw error;
    throw new PipelineError(describeAt(stage), { stage, error: errorText(error) }, error);
  }
}

/** Same as `runStage`, with the peer's errors: every error becomes a PipelineError with the original as its cause. */
export async function atPeerStage<T>(stage: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PipelineError || isCancellation(error)) throw error;
    throw new PipelineError(describeAt(stage), { stage, error: errorText(error), ...buildKind(error) }, error);
  }
}

const describeAt = (stage: string) => `The pipeline failed at the stage '${stage}'`;
// Checks the name, because the error may come from another realm.
const isCancellation = (error: unknown) => (error as { name?: unknown } | null)?.name === 'AbortError';

// The peer reports every failed extraction as no_models_extracted.
function buildKind(error: unknown) {
  const type = error instanceof Error ? error.name : typeof error;
  const reason = error instanceof ExtractionError ? 'no_models_extracted' : undefined;
  return { error_type: type, ...(reason === undefined ? {} : { reason }) };
}
