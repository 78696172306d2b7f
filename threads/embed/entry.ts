import { AppError } from '../../model/errors';
import { createOnnxEmbedder, type OnnxEmbedder } from '../../services/embedding/onnx';
import type { EmbedAnswer, EmbedTask } from '../../services/embedding/onnx-thread';

/** The models that it has loaded stay loaded. */
let embedder: OnnxEmbedder | undefined;

/** Embeds texts with a model of the models folder. Never throws; ends after the current batch when the caller sets the flag. */
export async function embedTexts(task: EmbedTask): Promise<EmbedAnswer> {
  const { modelsFolder, threads, texts, settings, ended } = task;
  const gone = new AbortController();
  const checkCaller = () => {
    if (Atomics.load(ended, 0) !== 0) gone.abort();
  };
  try {
    // The caller may have left while the task was waiting.
    checkCaller();
    if (gone.signal.aborted) return {};
    embedder ??= createOnnxEmbedder(modelsFolder, threads);
    return { vectors: await embedder.embed(texts, settings, gone.signal, checkCaller) };
  } catch (error) {
    if (gone.signal.aborted) return {};
    if (error instanceof AppError) return { failure: { code: error.code, message: error.message } };
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The model '${settings.model_id}' failed.`;
    return { failure: { code: 'LOCALMODEL_CONNECTION_FAILED', message, reason } };
  }
}
