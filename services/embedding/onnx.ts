import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FeatureExtractionPipeline } from '@huggingface/transformers';
import type { EmbeddingsProviderConfig } from '../../model/llm/embeddings';
import { AppError } from '../../model/errors';

/** Models of a folder, run in this process. */
export interface OnnxEmbedder {
  /**
   * Vectors of length 1 in the order of the texts; `model_id` names a folder below the models folder with `config.json`,
   * `tokenizer.json` and `onnx/model.onnx`. LOCALMODEL_MODEL_NOT_FOUND where it is not there; nothing is fetched.
   */
  embed(
    texts: readonly string[],
    settings: EmbeddingsProviderConfig,
    signal: AbortSignal,
    progress: (done: number) => void,
  ): Promise<number[][]>;
}

/** Loads the library and each model at its first use, and keeps them. `folder` undefined refuses every model. */
export function createOnnxEmbedder(folder: string | undefined): OnnxEmbedder {
  const models = new Map<string, Promise<FeatureExtractionPipeline>>();

  function load(name: string): Promise<FeatureExtractionPipeline> {
    const known = models.get(name);
    if (known) return known;
    const loading = loadModel(folder, name);
    models.set(name, loading);
    loading.catch(() => models.delete(name));
    return loading;
  }

  return {
    async embed(texts, { model_id: name, batch_size: size = 32, pooling = 'mean' }, signal, progress) {
      if (name === undefined) {
        throw new AppError(
          'OPERATOR_CONFIGURATION_INVALID',
          'The embeddings type onnx needs provider_config.model_id, the name of a folder below DOCLOOM_MODELS_FOLDER.',
        );
      }
      if (texts.length === 0) return [];
      const model = await load(name);
      const vectors: number[][] = [];
      for (let from = 0; from < texts.length; from += size) {
        signal.throwIfAborted();
        const output = await model([...texts.slice(from, from + size)], { pooling, normalize: true });
        vectors.push(...(output.tolist() as number[][]));
        progress(vectors.length);
      }
      return vectors;
    },
  };
}

async function loadModel(folder: string | undefined, name: string): Promise<FeatureExtractionPipeline> {
  if (folder === undefined) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'The embeddings type onnx needs a folder of models, and DOCLOOM_MODELS_FOLDER is not set on this server.',
    );
  }
  const root = path.resolve(folder);
  const place = path.resolve(root, name);
  if (!place.startsWith(root + path.sep) || !existsSync(path.join(place, 'onnx'))) {
    throw new AppError(
      'LOCALMODEL_MODEL_NOT_FOUND',
      `The models folder has no model '${name}': expected ${name}/onnx/model.onnx, ${name}/config.json and ${name}/tokenizer.json below DOCLOOM_MODELS_FOLDER.`,
    );
  }
  const { env, pipeline } = await import('@huggingface/transformers').catch((error: unknown) => {
    throw new AppError(
      'INVALID_CONFIGURATION',
      'The embeddings type onnx needs the optional package @huggingface/transformers, which is not installed.',
      {},
      error,
    );
  });
  env.allowRemoteModels = false;
  env.localModelPath = root;
  try {
    return await pipeline('feature-extraction', path.relative(root, place), { dtype: 'fp32', local_files_only: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'INVALID_CONFIGURATION',
      `The model '${name}' of the models folder cannot be loaded: ${reason}`,
      {},
      error,
    );
  }
}
