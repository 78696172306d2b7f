import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { buildEndpoint, type ModelHost } from './host';
import { checkValue, postJson, readJson } from './protocol';

const count = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const Scores = Type.Object({
  results: Type.Array(Type.Object({ index: Type.Integer({ minimum: 0 }), relevance_score: Type.Number() })),
  usage: Type.Optional(Type.Union([Type.Object({ prompt_tokens: count, total_tokens: count }), Type.Null()])),
});

/** One request to a model that compares a query with texts. */
export interface RerankCall {
  host: ModelHost;
  query: string;
  texts: readonly string[];
  signal: AbortSignal;
}

/**
 * The score of each text, in the order of the texts, by `POST …/rerank` as vLLM, llama.cpp, Infinity, Jina and Cohere answer it. Makes
 * a single attempt. Throws INVALID_RESPONSE unless there is one score per text.
 */
export async function requestScores(
  fetch: typeof globalThis.fetch,
  { host, query, texts, signal }: RerankCall,
): Promise<{ scores: number[]; inputTokens?: number }> {
  const url = buildEndpoint(host, '/rerank');
  const body = { model: host.modelId, query, documents: texts, top_n: texts.length, return_documents: false };
  const headers: Record<string, string> = host.apiKey ? { authorization: `Bearer ${host.apiKey}` } : {};
  const response = await postJson(fetch, url, body, { headers, signal });
  const { results, usage } = checkValue(Scores, await readJson(response, url), url, 'a list of scores');
  const scoreOf = new Map(results.map(({ index, relevance_score: score }) => [index, score]));
  const scores = texts.flatMap((_, index) => scoreOf.get(index) ?? []);
  if (scores.length !== texts.length || results.length !== texts.length)
    throw new AppError(
      'INVALID_RESPONSE',
      `${url.href} was asked for ${texts.length} scores and answered ${results.length}, or not one for each index from 0.`,
    );
  const inputTokens = usage?.prompt_tokens ?? usage?.total_tokens;
  return { scores, ...(typeof inputTokens === 'number' ? { inputTokens } : {}) };
}
