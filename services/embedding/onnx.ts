import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../model/errors';
import { type EmbeddingsProviderConfig, defaultOverlapRatio } from '../../model/llm/embeddings';
import { findOnnxFile } from '../image/onnx-session';
import { type OnnxModel, openOnnxModel } from './onnx-model';
import { listPieces, averageVectors } from './pieces';

/** Options of embedding with a model of the models folder. */
export interface OnnxSettings extends Pick<EmbeddingsProviderConfig, 'model_id' | 'batch_size' | 'pooling'> {
  /** Maximum tokens of a piece. The limit of the model applies as well. */
  tokenLimit?: number | undefined;
  overlapRatio?: number | undefined;
  /** Queries and passages may have different prefixes. */
  purpose?: 'query' | 'passage';
  /** Callers with different keys take turns where calls wait for each other. */
  fairnessKey?: string;
}

/** Runs models from a folder in this process. */
export interface OnnxEmbedder {
  /**
   * Returns vectors of length 1 in the order of the texts. `model_id` names a folder below the models folder, with
   * `tokenizer.json` and `onnx/model.onnx`. Throws LOCALMODEL_MODEL_NOT_FOUND when it does not exist; nothing is downloaded.
   */
  embed(
    texts: readonly string[],
    settings: OnnxSettings,
    signal: AbortSignal,
    progress?: (done: number) => void,
  ): Promise<number[][]>;
}

/** Maximum tokens of a batch, including padding. Larger batches exceed the CPU caches: they are slower and need more memory. */
const maxBatchTokens = 256;
const defaultBatch = 32;
/** Characters that are encoded without a pause. */
const turnLength = 20_000;
const minPieceTokens = 8;
/** Others wait while a question is embedded. Of a longer one, only the beginning is embedded, in pieces of at most half as many. */
const maxQueryTokens = 1_024;
const maxQueryPieceTokens = maxQueryTokens / 2;

/**
 * Opened models, by folder and threads. All embedders of a process share them: each is loaded once and runs one batch at a time.
 */
const opened = new Map<string, Promise<{ model: OnnxModel; turn: Promise<unknown> }>>();

/** Loads each model on first use and keeps it. Without a `folder`, every model is rejected. */
export function createOnnxEmbedder(folder: string | undefined, threads = 2): OnnxEmbedder {
  return {
    async embed(texts, settings, signal, progress) {
      const { model_id: name, batch_size: size = defaultBatch, overlapRatio = defaultOverlapRatio } = settings;
      if (name === undefined) {
        throw new AppError(
          'OPERATOR_CONFIGURATION_INVALID',
          'The embeddings type onnx needs provider_config.model_id, the name of a folder below DOCLOOM_MODELS_FOLDER.',
        );
      }
      if (texts.length === 0) return [];
      const loaded = await load(findModelFolder(folder, name), name, threads);
      const { model } = loaded;
      const { purpose = 'passage' } = settings;
      const prefix = model.prefixes[purpose];
      const prefixTokens = model.encode(prefix).length;
      const limit = Math.max(
        minPieceTokens,
        Math.min(
          settings.tokenLimit ?? model.maxTokens,
          model.maxTokens,
          purpose === 'query' ? maxQueryPieceTokens : Number.POSITIVE_INFINITY,
        ) - prefixTokens,
      );
      const maxPieces = purpose === 'query' ? Math.floor(maxQueryTokens / limit) : Number.POSITIVE_INFINITY;
      const pieces: string[][] = [];
      const inputs: (readonly number[])[] = [];
      for (const turn of splitTurns(texts)) {
        for (const text of turn) {
          const parts = listPieces(text, limit, overlapRatio, model.count).slice(0, maxPieces);
          pieces.push(parts);
          inputs.push(...parts.map((part) => model.encode(prefix + part)));
        }
        await nextTurn();
        signal.throwIfAborted();
      }
      const vectors: number[][] = [];
      let done = 0;
      for (const batch of splitBatches(inputs, size)) {
        // A batch takes a few tenths of a second. Batches of other callers run in between.
        const run = loaded.turn.then(() => {
          signal.throwIfAborted();
          return model.run(
            batch.map((index) => inputs[index] ?? []),
            settings.pooling ?? model.pooling,
          );
        });
        loaded.turn = run.catch(() => undefined);
        const outputs = await run;
        for (const [row, index] of batch.entries()) vectors[index] = outputs[row] ?? [];
        done += batch.length;
        progress?.(Math.floor((done / inputs.length) * texts.length));
      }
      let next = 0;
      return pieces.map((pieces) => averageVectors(pieces, vectors.slice(next, (next += pieces.length)), model.count));
    },
  };
}

/**
 * Groups of texts to encode without a pause, 10 to 20 ms each. Without pauses, encoding the texts of a large part takes seconds, in
 * which the process sends no heartbeats.
 */
export function* splitTurns(texts: readonly string[]): Generator<string[]> {
  let turn: string[] = [];
  let length = 0;
  for (const text of texts) {
    turn.push(text);
    length += text.length;
    if (length < turnLength) continue;
    yield turn;
    [turn, length] = [[], 0];
  }
  if (turn.length > 0) yield turn;
}

/** Groups the indexes of inputs of similar length, to reduce padding. No batch exceeds the token limit. */
export function splitBatches(inputs: readonly (readonly number[])[], size: number): number[][] {
  const order = inputs.map((_, index) => index).toSorted((value, other) => getLength(other) - getLength(value));
  const batches: number[][] = [];
  let longest = 0;
  for (const index of order) {
    const last = batches.at(-1);
    if (last && last.length < size && (last.length + 1) * longest <= maxBatchTokens) last.push(index);
    else {
      batches.push([index]);
      longest = getLength(index);
    }
  }
  return batches;

  function getLength(index: number): number {
    return inputs[index]?.length ?? 0;
  }
}

function findModelFolder(folder: string | undefined, name: string): string {
  if (folder === undefined) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'The embeddings type onnx needs a folder of models, and DOCLOOM_MODELS_FOLDER is not set on this server.',
    );
  }
  const root = path.resolve(folder);
  const place = path.resolve(root, name);
  if (place.startsWith(root + path.sep) && findOnnxFile(place) !== undefined) return place;
  throw new AppError(
    'LOCALMODEL_MODEL_NOT_FOUND',
    `The models folder has no model '${name}': expected ${name}/onnx/model.onnx and ${name}/tokenizer.json below DOCLOOM_MODELS_FOLDER. \`docloom models\` lists models that can be added.`,
  );
}

function load(place: string, name: string, threads: number): Promise<{ model: OnnxModel; turn: Promise<unknown> }> {
  const key = JSON.stringify([place, threads]);
  const cachedModel = opened.get(key);
  if (cachedModel) return cachedModel;
  const opening = openOnnxModel(place, threads).then(
    (model) => ({ model, turn: Promise.resolve() as Promise<unknown> }),
    (error: unknown) => {
      opened.delete(key);
      if (error instanceof AppError && error.code !== 'PAGE_MODEL_INVALID') throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new AppError(
        'INVALID_CONFIGURATION',
        `The model '${name}' of the models folder cannot be loaded: ${reason}`,
        {},
        error,
      );
    },
  );
  opened.set(key, opening);
  return opening;
}
