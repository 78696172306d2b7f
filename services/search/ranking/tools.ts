import type { IndexEmbedding } from '../../../model/llm/index-embedding';
import type { Embedder } from '../../embedding/embedder';
import type { SearchCall } from '../connection';
import type { FieldTypes } from '../fields';
import type { TextKnowledge } from '../text-query';
import type { MayFetch } from './vectors';

/** The input of a ranked search. `send` returns undefined if the index is missing (404). */
export interface RankingTools {
  send: (call: SearchCall) => Promise<unknown>;
  /** The read alias. */
  alias: string;
  address: string;
  embedder: Embedder;
  mayAsk: MayFetch;
  /** The actual embedder of `builtin`. */
  builtin: IndexEmbedding;
  signal: AbortSignal;
  knowledge: TextKnowledge;
  types: FieldTypes;
}
