import { maxPairsPerRequest } from '../../graph/resolve/ask';
import type { CorpusEstimate } from '../../model/graph/corpus';
import type { CorpusStore } from '../../services/graph/corpus-store';
import type { GraphRecord } from '../../services/graph/store';

/** Doubtful pairs per document, assumed until a document of the graph has been compared. */
const assumedPairs = 1;
/** A description is rarely longer than 600 characters of properties and two passages of 200. */
const tokensOfPair = 300;
const tokensOfRequest = 200;
/** More documents that wait for their comparison are counted as this many. */
const maxUncompared = 100_000;

/**
 * Estimates the model requests about doubtful pairs: pairs that are waiting already, and pairs expected from the
 * documents still to be compared, at the rate of the graph's earlier documents. Zero unless the graph's model decides
 * about pairs.
 */
export async function estimatePairs(
  corpora: Pick<CorpusStore, 'pairs' | 'listUncompared'>,
  { id, corpus, options }: Pick<GraphRecord, 'id' | 'corpus' | 'options'>,
  { fresh, known }: { fresh: number; known: number },
): Promise<Pick<CorpusEstimate, 'model_calls' | 'input_tokens' | 'pairs'>> {
  if (corpus?.resolution !== 'model' || options.backend !== 'llm') return { model_calls: 0, input_tokens: 0, pairs: 0 };
  const { pairs } = corpora;
  const waiting = await pairs.count(id, { state: 'open', by: 'rules' });
  const compared = known - (await corpora.listUncompared(id, maxUncompared)).length;
  const perDocument = compared > 0 ? (waiting + (await pairs.count(id, { by: 'model' }))) / compared : assumedPairs;
  const expected = waiting + Math.ceil(perDocument * (fresh + known - compared));
  const model_calls = Math.ceil(expected / maxPairsPerRequest);
  return { model_calls, input_tokens: expected * tokensOfPair + model_calls * tokensOfRequest, pairs: expected };
}
