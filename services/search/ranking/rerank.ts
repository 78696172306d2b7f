import type { User } from '../../../model/access';
import type { Config } from '../../../model/config';
import { AppError } from '../../../model/errors';
import type { Reranking } from '../../llm/ports';
import { followSignal } from '../admission/follow-signal';
import { createFieldError } from '../fields';
import type { SearchReply, SearchRequest } from '../ports';

/** The first hits of a search, which the model compares with the query. Pages end there. */
const rerankDepth = 50;
/** Characters of the query and of each hit that the model reads; most cross-encoders read 512 tokens. */
const maxCharacters = 2_000;
const timeoutSeconds = 10;

type SearchFor = (user: User, request: SearchRequest, signal?: AbortSignal) => Promise<SearchReply>;

/**
 * Searches whose first hits the operator's model orders on request. The model reads only hits that the user may read. Where it fails,
 * the hits stay in their order and a warning says why.
 */
export function addReranking(
  search: SearchFor,
  llm: Reranking,
  { DOCLOOM_RERANK_MODEL: model }: Pick<Config, 'DOCLOOM_RERANK_MODEL'>,
): SearchFor {
  const settings = {
    type: 'local_api',
    provider_config: { model_id: model, timeout: timeoutSeconds, max_retries: 0, protocol: 'openai' },
  };
  return async (user, request, signal = new AbortController().signal) => {
    if (!request.rerank) return search(user, request, signal);
    const { query, limit, offset } = checkRequest(request, model);
    const found = await search(user, { ...request, limit: rerankDepth, offset: 0 }, signal);
    const { documents: hits } = found;
    const texts = hits.map(({ title, content }) => `${title}\n${content}`.slice(0, maxCharacters));
    const { order, warnings } = await readOrder(texts);
    return {
      ...found,
      documents: order.flatMap((at) => hits[at] ?? []).slice(offset, offset + limit),
      limit,
      offset,
      has_more: offset + limit < hits.length,
      ...(warnings.length > 0 ? { warnings: [...(found.warnings ?? []), ...warnings] } : {}),
    };

    async function readOrder(texts: readonly string[]): Promise<{ order: number[]; warnings: string[] }> {
      const order = texts.map((_, at) => at);
      if (texts.length < 2) return { order, warnings: [] };
      const ended = new AbortController();
      const stopFollowing = followSignal(ended, signal);
      // The timeout of the model does not include the wait for other requests to it.
      const timer = setTimeout(() => ended.abort(createTimeoutError()), timeoutSeconds * 1_000);
      try {
        const scores = await llm.rerank({ query: query.slice(0, maxCharacters), texts }, settings, ended.signal);
        // Equal scores keep their order.
        return { order: order.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)), warnings: [] };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { order, warnings: [`The hits were not reranked. ${error.message}`] };
      } finally {
        clearTimeout(timer);
        stopFollowing();
      }
    }
  };
}

function createTimeoutError(): AppError {
  return new AppError('LOCALMODEL_CONNECTION_FAILED', `The model did not answer within ${timeoutSeconds} s.`);
}

function checkRequest(
  { query = '', sort = [], limit = 10, offset = 0 }: SearchRequest,
  model: string,
): { query: string; limit: number; offset: number } {
  const fail = (message: string) => createFieldError('rerank', message);
  if (model === '')
    throw fail('No model reranks results on this server: DOCLOOM_RERANK_MODEL is not set. Leave out rerank.');
  if (query.trim() === '') throw fail('rerank needs a query.');
  if (sort.length > 0) throw fail('rerank and sort exclude each other: both define the order.');
  if (offset + limit > rerankDepth)
    throw fail(`offset plus limit is ${offset + limit}; with rerank, pages end at ${rerankDepth}.`);
  return { query, limit, offset };
}
