import { readFile } from 'node:fs/promises';
import { AppError } from '../../model/errors';
import type { OnnxSession, OnnxValue } from '../image/onnx-session';

/** Used when neither model nor tokenizer has a limit. */
const defaultMaxTokens = 512;
/** Longer texts would need too much memory, whatever the model allows. */
const highestMaxTokens = 8_192;
/** Tokenizers without a limit have the value 1e30. */
const unlimited = 1e7;

/** Token ids of a text or of a pair of texts, with the type of each token where the model has types. */
export interface TokenRow {
  ids: readonly number[];
  types?: readonly number[];
}

/** The first of these values that is a limit of tokens, else a default. */
export function computeLimit(...values: unknown[]): number {
  const limit = values.find((value): value is number => Number.isInteger(value) && (value as number) < unlimited);
  return Math.min(limit ?? defaultMaxTokens, highestMaxTokens);
}

/** The content of a JSON file of a model folder; undefined when there is none. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('INVALID_CONFIGURATION', `The file '${file}' could not be read: ${reason}`, {}, error);
  }
}

/**
 * The inputs of a text encoder for a batch, padded to its longest row. Throws INVALID_CONFIGURATION when the model needs an input
 * that is not among those of text encoders.
 */
export function buildFeeds(
  { inputs: needed }: Pick<OnnxSession, 'inputs'>,
  rows: readonly TokenRow[],
  { file, paddingId = 0 }: { file: string; paddingId?: number },
): Record<string, OnnxValue> {
  const longest = Math.max(1, ...rows.map(({ ids }) => ids.length));
  const dims = [rows.length, longest];
  const data = {
    input_ids: new BigInt64Array(rows.length * longest).fill(BigInt(paddingId)),
    attention_mask: new BigInt64Array(rows.length * longest),
    token_type_ids: new BigInt64Array(rows.length * longest),
  };
  for (const [row, { ids, types = [] }] of rows.entries()) {
    for (const [column, id] of ids.entries()) {
      const place = row * longest + column;
      data.input_ids[place] = BigInt(id);
      data.attention_mask[place] = 1n;
      data.token_type_ids[place] = BigInt(types[column] ?? 0);
    }
  }
  return Object.fromEntries(
    needed.map(({ name }) => {
      if (name in data) return [name, { type: 'int64', data: data[name as keyof typeof data], dims }];
      throw new AppError(
        'INVALID_CONFIGURATION',
        `The model '${file}' requires the input '${name}', which is not an input of text encoders.`,
      );
    }),
  );
}
