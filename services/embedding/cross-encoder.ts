import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import { AppError } from '../../model/errors';
import { findOnnxFile, openOnnxSession, type OnnxSession } from '../image/onnx-session';
import { buildFeeds, computeLimit, readJson, type TokenRow } from './model-files';
import { splitBatches } from './onnx';
import { type PairEncoder, createPairEncoder } from './pair-encoder';

/** A model that reads a query together with a text and says how well the text fits. */
export interface CrossEncoder {
  /** Maximum tokens of a query with a text, including special tokens. */
  maxTokens: number;
  /**
   * One score per text, in the order of the texts; higher fits better. Ends between two batches, with undefined, once `isEnded`
   * returns true.
   */
  score(query: string, texts: readonly string[], isEnded?: () => boolean): Promise<number[] | undefined>;
  close(): Promise<void>;
}

/** Where a cross-encoder is, and how many threads may run it. */
export interface CrossEncoderPlace {
  modelsFolder: string | undefined;
  /** The name of its folder below the models folder. */
  name: string;
  threads: number;
}

/** Larger models cannot score the first hits of a search within its time limit on a processor. */
const maxModelBytes = 1024 ** 3;
/** The largest tokenizers, with 250,000 pieces, have 17 MB. */
const maxTokenizerBytes = 64 * 1024 ** 2;
/** Cross-encoders are trained with at most this many; memory grows with its square. */
const maxPairTokens = 512;
const maxBatchPairs = 32;
/** Position numbers of these models start after that of the padding token. */
const offsetPositions = /^(?:xlm-)?roberta|^camembert/;

/**
 * Opens a model in the layout of model hubs: `model.onnx` or `model_quantized.onnx` (also in `onnx/`), `tokenizer.json` and
 * `config.json`. Scores one pair of texts to see that it is a cross-encoder. Throws LOCALMODEL_MODEL_NOT_FOUND when the folder is not
 * below the models folder or has no model, RERANK_MODEL_INVALID when its files cannot be used. Messages name no path of the server.
 */
export async function openCrossEncoder({ modelsFolder, name, threads }: CrossEncoderPlace): Promise<CrossEncoder> {
  if (modelsFolder === undefined)
    throw new AppError(
      'LOCALMODEL_MODEL_NOT_FOUND',
      'Reranking with a model of the type onnx needs DOCLOOM_MODELS_FOLDER, which is not set on this server.',
    );
  const root = path.resolve(modelsFolder);
  const folder = path.resolve(root, name);
  const file = folder.startsWith(root + path.sep) ? findOnnxFile(folder) : undefined;
  if (file === undefined)
    throw new AppError(
      'LOCALMODEL_MODEL_NOT_FOUND',
      `The models folder has no model '${name}': expected model.onnx or model_quantized.onnx, tokenizer.json and config.json in ${name} below DOCLOOM_MODELS_FOLDER.`,
    );
  const explain = (error: unknown) => explainFailure(error, { name, folder });
  const model = await checkFiles(root, folder, file)
    .then(() => openModel(folder, file, threads))
    .catch(explain);
  return { ...model, score: (...request) => model.score(...request).catch(explain) };
}

function explainFailure(error: unknown, { name, folder }: { name: string; folder: string }): never {
  if (error instanceof AppError && error.code === 'OPTIONAL_PACKAGE_MISSING') throw error;
  const reason = error instanceof Error ? error.message : String(error);
  throw new AppError(
    'RERANK_MODEL_INVALID',
    `The model '${name}' cannot rerank: ${reason.replaceAll(folder, name)}`,
    {},
    error,
  );
}

/** Rejects missing and too large files, and links that lead out of the models folder. */
async function checkFiles(root: string, folder: string, model: string): Promise<void> {
  const beside = await readdir(path.dirname(model));
  const weights = beside.filter((name) => name.startsWith(path.basename(model)));
  const models = weights.map((name) => path.join(path.dirname(model), name));
  const others = ['tokenizer.json', 'config.json'].map((name) => path.join(folder, name));
  const realRoot = await realpath(root);
  for (const file of [...models, ...others]) {
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined) throw createInvalidError(`${file} is missing.`);
    if (!real.startsWith(realRoot + path.sep))
      throw createInvalidError(`${file} is a link that leads out of the models folder.`);
  }
  await checkSize(models, maxModelBytes, 'the model');
  await checkSize(others, maxTokenizerBytes, 'tokenizer.json with config.json');
}

async function checkSize(files: readonly string[], maxBytes: number, what: string): Promise<void> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= maxBytes) return;
  throw createInvalidError(`${what} has ${toMegabytes(bytes)} MB; at most ${toMegabytes(maxBytes)} MB can be used.`);
}

async function openModel(folder: string, file: string, threads: number): Promise<CrossEncoder> {
  const [definition, tokenizerConfig, config = {}] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json', 'config.json'].map((name) => readJson(path.join(folder, name))),
  );
  const { Tokenizer: Loaded } = await import('@huggingface/tokenizers');
  const tokenizer: Tokenizer = new Loaded({ ...definition, truncation: null, padding: null }, tokenizerConfig ?? {});
  const paddingId = readInteger(config['pad_token_id']) ?? 0;
  const positions = readInteger(config['max_position_embeddings']);
  const isOffset = offsetPositions.test(String(config['model_type']));
  const pairs = createPairEncoder(tokenizer, {
    maxTokens: Math.min(
      maxPairTokens,
      computeLimit(tokenizerConfig?.['model_max_length']),
      positions === undefined ? maxPairTokens : positions - (isOffset ? paddingId + 1 : 0),
    ),
    types: readInteger(config['type_vocab_size']),
  });
  const session = await openOnnxSession(file, { threads, isVaried: true });
  const model = { session, pairs, file, paddingId };
  try {
    // Two pairs of different length show whether the model accepts batches.
    await runBatch(model, pairs.encode('a', ['a b c', 'a']));
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    maxTokens: pairs.maxTokens,
    score: async (query, texts, isEnded) => scoreRows(model, pairs.encode(query, texts), isEnded),
    close: () => session.close(),
  };
}

interface OpenModel {
  session: OnnxSession;
  pairs: PairEncoder;
  file: string;
  paddingId: number;
}

async function scoreRows(
  model: OpenModel,
  rows: readonly TokenRow[],
  isEnded = () => false,
): Promise<number[] | undefined> {
  const scores: number[] = [];
  for (const batch of splitBatches(
    rows.map(({ ids }) => ids),
    maxBatchPairs,
  )) {
    if (isEnded()) return undefined;
    const results = await runBatch(
      model,
      batch.map((index) => rows[index] ?? { ids: [] }),
    );
    for (const [row, index] of batch.entries()) scores[index] = results[row] ?? 0;
  }
  return scores;
}

async function runBatch({ session, file, paddingId }: OpenModel, rows: readonly TokenRow[]): Promise<number[]> {
  const outputs = await session.run(buildFeeds(session, rows, { file, paddingId }));
  const [name, output] = Object.entries(outputs).find(([key]) => key === 'logits') ?? Object.entries(outputs)[0] ?? [];
  const [batch, values = 1, ...more] = output?.dims ?? [];
  if (!output || batch !== rows.length || more.length > 0 || values > 2)
    throw createInvalidError(
      `it is no cross-encoder, perhaps an embedder: for ${rows.length} pairs of texts, its output '${name}' has the shape ${output?.dims.join(' × ')}; expected ${rows.length} × 1 or ${rows.length} × 2.`,
    );
  // Of two values, the second is for texts that fit; the softmax of both grows with their difference.
  const scores = rows.map((_, row) => {
    const at = (column: number) => Number(output.data[row * values + column]);
    return values === 1 ? at(0) : at(1) - at(0);
  });
  if (scores.every(Number.isFinite)) return scores;
  throw createInvalidError(`its output '${name}' is not a number for every pair.`);
}

function readInteger(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}

function createInvalidError(problem: string): AppError {
  return new AppError('RERANK_MODEL_INVALID', problem);
}
