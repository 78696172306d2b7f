import path from 'node:path';
import type { Tokenizer as TextTokenizer } from '@huggingface/tokenizers';
import { AppError } from '../../model/errors';
import { findOnnxFile, openOnnxSession, type OnnxSession } from '../image/onnx-session';
import { buildFeeds, computeLimit, readJson } from './model-files';

/** An embedding model loaded into memory. */
export interface OnnxModel {
  /** Maximum tokens of a text, including special tokens. Longer texts are truncated. */
  maxTokens: number;
  /** Prefixes for queries and for texts that are searched. */
  prefixes: { query: string; passage: string };
  /** The pooling configured in the model's folder. */
  pooling: 'mean' | 'cls';
  /** Token ids of a text, including special tokens, at most `maxTokens`. */
  encode: (text: string) => readonly number[];
  /** Number of tokens of a text, without special tokens. */
  count: (text: string) => number;
  /** One vector of length 1 per list of ids. The lists should have similar lengths. */
  run(ids: readonly (readonly number[])[], pooling: 'mean' | 'cls'): Promise<number[][]>;
}

/** Opens the model in a folder with the layout of model hubs. Files other than the model and the tokenizer are optional. */
export async function openOnnxModel(folder: string, threads: number): Promise<OnnxModel> {
  const file = findOnnxFile(folder);
  if (file === undefined) throw new AppError('LOCALMODEL_MODEL_NOT_FOUND', `There is no model.onnx in ${folder}.`);
  const [definition, tokenizerConfig, sentence, poolingConfig, prompts] = await Promise.all(
    [
      'tokenizer.json',
      'tokenizer_config.json',
      'sentence_bert_config.json',
      path.join('1_Pooling', 'config.json'),
      'config_sentence_transformers.json',
    ].map((name) => readJson(path.join(folder, name))),
  );
  if (!definition) throw new AppError('INVALID_CONFIGURATION', `There is no tokenizer.json in ${folder}.`);
  // Ignores the limits and padding in the file: texts are truncated and padded here.
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer: TextTokenizer = new Tokenizer(
    { ...definition, truncation: null, padding: null },
    tokenizerConfig ?? {},
  );
  const session = await openOnnxSession(file, { threads, isVaried: true });
  const maxTokens = computeLimit(sentence?.['max_seq_length'], tokenizerConfig?.['model_max_length']);
  const texts = (prompts?.['prompts'] ?? {}) as Record<string, unknown>;
  const specialTokens = tokenizer.encode('').ids.length;
  return {
    maxTokens,
    prefixes: { query: getText(texts['query']), passage: getText(texts['document'] ?? texts['passage']) },
    pooling: poolingConfig?.['pooling_mode_cls_token'] === true ? 'cls' : 'mean',
    encode: (text) => truncate(tokenizer.encode(text).ids, maxTokens),
    count: (text) => tokenizer.encode(text).ids.length - specialTokens,
    run: (ids, pooling) => runBatch(session, ids, pooling, file),
  };
}

/** Truncates the text but keeps the special token at the end. */
function truncate(ids: readonly number[], maxTokens: number): readonly number[] {
  return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1) ?? 0];
}

async function runBatch(
  session: OnnxSession,
  batch: readonly (readonly number[])[],
  pooling: 'mean' | 'cls',
  file: string,
): Promise<number[][]> {
  const feeds = buildFeeds(
    session,
    batch.map((ids) => ({ ids })),
    { file },
  );
  const outputs = Object.values(await session.run(feeds));
  const states = outputs.find((output) => output.dims.length === 3);
  if (states) return batch.map((tokens, row) => normalize(poolTokens(states, row, tokens.length, pooling)));
  const vectors = outputs.find((output) => output.dims.length === 2 && output.dims[0] === batch.length);
  if (!vectors)
    throw new AppError('INVALID_CONFIGURATION', `The model '${file}' outputs no vectors of texts or tokens.`);
  const size = vectors.dims[1] ?? 0;
  return batch.map((_, row) =>
    normalize(Float64Array.from({ length: size }, (_none, index) => Number(vectors.data[row * size + index]))),
  );
}

/** The state of the first token (`cls`), or the mean of the states of all tokens. Padding is excluded. */
function poolTokens(
  { data, dims }: { data: ArrayLike<number | bigint>; dims: readonly number[] },
  row: number,
  tokens: number,
  pooling: 'mean' | 'cls',
): Float64Array {
  const [, places = 0, size = 0] = dims;
  const vector = new Float64Array(size);
  const count = pooling === 'cls' ? 1 : tokens;
  for (let place = 0; place < count; place += 1) {
    const start = (row * places + place) * size;
    for (let index = 0; index < size; index += 1)
      vector[index] = (vector[index] ?? 0) + Number(data[start + index]) / count;
  }
  return vector;
}

/** Scales to length 1, in single precision. A zero vector stays zero. */
function normalize(vector: Float64Array): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Array.from(vector, (value) => Math.fround(length === 0 ? value : value / length));
}

function getText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
