import { AppError } from '../../model/errors';
import { type CrossEncoder, openCrossEncoder } from '../../services/embedding/cross-encoder';
import type { ScoreAnswer, ScoreTask } from '../../services/embedding/reranker';

/** The model stays loaded as long as the thread runs. */
let opened: Promise<CrossEncoder> | undefined;

/** Scores texts for a query with the model of the task. Never throws; ends early when the caller sets the flag. */
export async function scoreTexts({ place, query, texts, ended }: ScoreTask): Promise<ScoreAnswer> {
  const isEnded = () => Atomics.load(ended, 0) !== 0;
  try {
    // The caller may have left while the task was waiting.
    if (isEnded()) return {};
    opened ??= openCrossEncoder(place);
    const model = await opened.catch((error: unknown) => {
      // After the folder is repaired, the next search works without a restart.
      opened = undefined;
      throw error;
    });
    const scores = await model.score(query, texts, isEnded);
    return scores ? { scores } : {};
  } catch (error) {
    if (error instanceof AppError) return { failure: { code: error.code, message: error.message } };
    const reason = error instanceof Error ? error.message : String(error);
    return { failure: { code: 'RERANK_MODEL_INVALID', message: `The model '${place.name}' failed: ${reason}` } };
  }
}
