import type { Tokenizer } from '@huggingface/tokenizers';
import { AppError } from '../../model/errors';
import type { TokenRow } from './model-files';

/** Encodes a query with each of several texts, as a tokenizer joins two texts. */
export interface PairEncoder {
  /** Including special tokens. */
  maxTokens: number;
  /**
   * One row of at most `maxTokens` per text. The text is cut, never the query, unless the query would leave fewer than 128 tokens
   * (for models that read fewer than 256: half of them) to the text.
   */
  encode: (query: string, texts: readonly string[]) => TokenRow[];
}

/** Tokens that a long query leaves to the text. */
const minTextTokens = 128;
/** Any two texts show which special tokens are around and between them. */
const samples = ['a', 'b'] as const;
/** Token types of BERT: the query and the text. */
const usualTypes = 2;

interface Part {
  ids: number[];
  types: number[];
}

/** Throws RERANK_MODEL_INVALID when the tokenizer does not join two texts. `types` is the number of token types of the model. */
export function createPairEncoder(
  tokenizer: Pick<Tokenizer, 'encode'>,
  { maxTokens, types }: { maxTokens: number; types?: number | undefined },
): PairEncoder {
  const encodeAlone = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const { before, between, after, typeOfQuery, typeOfText } = readForm(tokenizer, encodeAlone, types);
  const room = maxTokens - before.ids.length - between.ids.length - after.ids.length;
  if (room < 2)
    throw new AppError('RERANK_MODEL_INVALID', `a limit of ${maxTokens} tokens leaves no place for two texts.`);
  return {
    maxTokens,
    encode(query, texts) {
      const queryIds = encodeAlone(query).slice(0, room - Math.min(minTextTokens, Math.floor(room / 2)));
      return texts.map((text) => {
        const textIds = encodeAlone(text).slice(0, room - queryIds.length);
        return {
          ids: [...before.ids, ...queryIds, ...between.ids, ...textIds, ...after.ids],
          types: [
            ...before.types,
            ...queryIds.map(() => typeOfQuery),
            ...between.types,
            ...textIds.map(() => typeOfText),
            ...after.types,
          ],
        };
      });
    },
  };
}

function readForm(
  tokenizer: Pick<Tokenizer, 'encode'>,
  encodeAlone: (text: string) => number[],
  typeCount = usualTypes,
): { before: Part; between: Part; after: Part; typeOfQuery: number; typeOfText: number } {
  const [query, text] = samples.map(encodeAlone) as [number[], number[]];
  const joined = tokenizer.encode(samples[0], { text_pair: samples[1], return_token_type_ids: true });
  const ids = joined.ids;
  // Some tokenizers number types that their models do not have.
  const types = ids.map((_, at) => Math.min(joined.token_type_ids?.[at] ?? 0, Math.max(0, typeCount - 1)));
  const first = findPart(ids, query, 0);
  const second = findPart(ids, text, first + query.length);
  if (query.length === 0 || text.length === 0 || first < 0 || second < 0 || !ids.every(Number.isInteger))
    throw new AppError('RERANK_MODEL_INVALID', 'its tokenizer.json does not say how a query and a text are joined.');
  const cut = (from: number, to: number): Part => ({ ids: ids.slice(from, to), types: types.slice(from, to) });
  return {
    before: cut(0, first),
    between: cut(first + query.length, second),
    after: cut(second + text.length, ids.length),
    typeOfQuery: types[first] ?? 0,
    typeOfText: types[second] ?? 0,
  };
}

function findPart(ids: readonly number[], part: readonly number[], from: number): number {
  return ids.findIndex((_, at) => at >= from && part.every((id, offset) => ids[at + offset] === id));
}
