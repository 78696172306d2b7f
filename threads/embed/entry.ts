import { AppError } from '../../model/errors';
import { createOnnxEmbedder, type OnnxEmbedder } from '../../services/embedding/onnx';
import type { EmbedAnswer, EmbedTask } from '../../services/embedding/onnx-thread';

/** The models that it has loaded stay loaded. */
let embedder: OnnxEmbedder | undefined;
const neverAborted = new AbortController().signal;

/** Embeds texts with a model of the models folder. Returns errors for the caller instead of throwing them. */
export async function embedTexts({ modelsFolder, threads, texts, settings }: EmbedTask): Promise<EmbedAnswer> {
  embedder ??= createOnnxEmbedder(modelsFolder, threads);
  try {
    return { vectors: await embedder.embed(texts, settings, neverAborted) };
  } catch (error) {
    if (error instanceof AppError) return { failure: { code: error.code, message: error.message } };
    throw error;
  }
}
