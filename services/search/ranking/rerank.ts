import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import type { Reranker, ScoreRequest } from '../../embedding/reranker';
import type { Reranking } from '../../llm/ports';
import { followSignal } from '../admission/follow-signal';
import { createFieldError } from '../fields';
import type { DocumentReply, SearchReply, SearchRequest } from '../ports';

/** The first hits of a search, which the model compares with the query. Pages end there. */
const rerankDepth = 50;
/** Characters of the query and of each hit that the model reads; most cross-encoders read 512 tokens. */
const maxCharacters = 2_000;
const timeoutSeconds = 10;

type SearchFor = (user: User, request: SearchRequest, signal?: AbortSignal) => Promise<SearchReply>;

/** Scores texts with a model of the model host. The model counts as its own limit. */
export function createHostScoring(llm: Reranking, model: string): Pick<Reranker, 'score'> {
  const settings = {
    type: 'local_api',
    provider_config: { model_id: model, timeout: timeoutSeconds, max_retries: 0, protocol: 'openai' },
  };
  return { score: ({ query, texts }, signal) => llm.rerank({ query, texts }, settings, signal) };
}

/**
 * Searches whose first hits the operator's model orders on request. The model reads only hits that the user may read. Where it fails,
 * the hits stay in their order and a warning says why. Without a model, requests to rerank are refused.
 */
export function addReranking(search: SearchFor, model: Pick<Reranker, 'score'> | undefined): SearchFor {
  return async (user, request, signal = new AbortController().signal) => {
    if (!request.rerank) return search(user, request, signal);
    const { query, limit, offset } = checkRequest(request, model !== undefined);
    const found = await search(user, { ...request, limit: rerankDepth, offset: 0 }, signal);
    const { documents: hits } = found;
    const texts = hits.map(({ title, content }) => `${title}\n${content}`.slice(0, maxCharacters));
    const asked = { username: user.username, query: query.slice(0, maxCharacters), texts };
    const { scores, warnings } = model && texts.length > 1 ? await readScores(model, asked, signal) : {};
    // Equal scores keep their order.
    const order = hits.map((_, at) => at).toSorted((a, b) => (scores?.[b] ?? 0) - (scores?.[a] ?? 0));
    return {
      ...found,
      documents: order.flatMap((at) => addScore(hits[at], scores?.[at])).slice(offset, offset + limit),
      limit,
      offset,
      has_more: offset + limit < hits.length,
      ...(warnings ? { warnings: [...(found.warnings ?? []), ...warnings] } : {}),
    };
  };
}

async function readScores(
  model: Pick<Reranker, 'score'>,
  request: ScoreRequest,
  signal: AbortSignal,
): Promise<{ scores?: number[]; warnings?: string[] }> {
  const ended = new AbortController();
  const stopFollowing = followSignal(ended, signal);
  // The time includes the wait for other searches.
  const timer = setTimeout(() => ended.abort(createTimeoutError()), timeoutSeconds * 1_000);
  try {
    return { scores: await model.score(request, ended.signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { warnings: [`The hits were not reranked. ${error.message}`] };
  } finally {
    clearTimeout(timer);
    stopFollowing();
  }
}

/** The score is part of the explanation, if there is one. */
function addScore(hit: DocumentReply | undefined, score: number | undefined): DocumentReply[] {
  if (!hit) return [];
  if (!hit.explanation || score === undefined) return [hit];
  return [{ ...hit, explanation: { ...hit.explanation, rerank_score: score } }];
}

function createTimeoutError(): AppError {
  return new AppError('LOCALMODEL_CONNECTION_FAILED', `The model did not answer within ${timeoutSeconds} s.`);
}

function checkRequest(
  { query = '', sort = [], limit = 10, offset = 0 }: SearchRequest,
  hasModel: boolean,
): { query: string; limit: number; offset: number } {
  const fail = (message: string) => createFieldError('rerank', message);
  if (!hasModel)
    throw fail('No model reranks results on this server: DOCLOOM_RERANK_MODEL is not set. Leave out rerank.');
  if (query.trim() === '') throw fail('rerank needs a query.');
  if (sort.length > 0) throw fail('rerank and sort exclude each other: both define the order.');
  if (offset + limit > rerankDepth)
    throw fail(`offset plus limit is ${offset + limit}; with rerank, pages end at ${rerankDepth}.`);
  return { query, limit, offset };
}
