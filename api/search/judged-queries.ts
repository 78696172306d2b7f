import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
import { computeNdcg } from '../../model/search/ndcg';
import {
  Judgement,
  JudgedQuery,
  JudgedQueryId,
  JudgedQueryPage,
  maxMeasured,
  SearchMeasurement,
  SearchMeasurements,
} from '../../model/search/wire-judged';
import { findReadable } from '../document/whole';
import { buildPage, paging } from '../http/page';
import type { RequestContext } from '../http/policies';
import { reply, route } from '../http/route';

const modes = ['text', 'vector', 'hybrid'] as const;
/** nDCG is computed over this many results. */
const depth = 10;
/** Queries that run at the same time. */
const maxConcurrent = 4;

export const markJudgement = route({
  method: 'POST',
  path: '/api/v1/judged-queries',
  summary: 'Marks a document as relevant or not relevant for a query.',
  description:
    'Marks are yours alone, and you can mark only documents that you may read. Accepts the id of a record for its document. A query keeps its newest 200 marks, and you keep your newest 1,000 queries.',
  body: Judgement,
  replies: { 200: JudgedQuery },
  errors: ['DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ body, ...context }) => {
    const { user, services } = context;
    // A mark can be removed when the document can no longer be read.
    const { documentId } =
      body.is_relevant === null ? { documentId: body.document_id } : await findReadable(body.document_id, context);
    const at = services.clock().toISOString();
    return services.judgedQueries.mark(user.username, { ...body, document_id: documentId }, at);
  },
});

export const listJudgedQueries = route({
  method: 'GET',
  path: '/api/v1/judged-queries',
  operationId: 'listJudgedQueries',
  summary: 'Your judged queries, the newest first.',
  query: Type.Object(paging),
  replies: { 200: JudgedQueryPage },
  handler: async ({ query: { limit = 100, offset = 0 }, url, user, services }) => {
    const { items, total } = await services.judgedQueries.list(user.username, { limit, offset });
    return buildPage(url, items, { limit, offset, total });
  },
});

export const deleteJudgedQuery = route({
  method: 'DELETE',
  path: '/api/v1/judged-queries/{query_id}',
  operationId: 'deleteJudgedQuery',
  summary: 'Removes a judged query with its marks.',
  params: Type.Object({ query_id: JudgedQueryId }),
  replies: { 204: Type.Null() },
  errors: ['JUDGED_QUERY_NOT_FOUND'],
  handler: async ({ params: { query_id }, user, services }) => {
    if (await services.judgedQueries.remove(user.username, query_id)) return null;
    throw new AppError('JUDGED_QUERY_NOT_FOUND', `You have no judged query with ID '${query_id}'.`, {
      target: { type: 'parameter', name: 'query_id' },
    });
  },
});

export const measureSearch = route({
  method: 'POST',
  path: '/api/v1/judged-queries/measurements',
  operationId: 'measureSearch',
  scope: 'read',
  summary: 'Runs your judged queries in each mode, and stores how well the rankings answer them.',
  description:
    'The newest 100 judged queries with a relevant document, as you find documents now. nDCG@10 by document: 1 means that everything relevant comes first. The mode `vector` or `hybrid` is null where its ranking is not possible.',
  replies: { 201: SearchMeasurement },
  errors: ['JUDGED_QUERY_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async (context) => {
    const { user, services } = context;
    const page = { limit: maxMeasured, offset: 0, isMeasurable: true };
    const { items } = await services.judgedQueries.list(user.username, page);
    if (items.length === 0)
      throw new AppError('JUDGED_QUERY_NOT_FOUND', 'You have marked no document as relevant for a query yet.');
    const figures = new Map<string, number | null>();
    for (const mode of modes) figures.set(mode, await measure(mode, items, context));
    const measurement: SearchMeasurement = {
      measured_at: services.clock().toISOString(),
      queries: items.length,
      ndcg: {
        text: figures.get('text') ?? null,
        vector: figures.get('vector') ?? null,
        hybrid: figures.get('hybrid') ?? null,
      },
    };
    await services.judgedQueries.addMeasurement(user.username, measurement);
    return reply(201, measurement);
  },
});

export const listMeasurements = route({
  method: 'GET',
  path: '/api/v1/judged-queries/measurements',
  operationId: 'listSearchMeasurements',
  summary: 'Your measurements of the rankings, oldest first.',
  replies: { 200: SearchMeasurements },
  handler: async ({ user, services }) => ({
    measurements: await services.judgedQueries.listMeasurements(user.username),
  }),
});

/** The mean over the queries, to four digits; null if the ranking fails because there is no embedder. */
async function measure(
  mode: (typeof modes)[number],
  queries: readonly JudgedQuery[],
  context: RequestContext,
): Promise<number | null> {
  let sum = 0;
  for (const batch of iterateBatches(queries, maxConcurrent)) {
    const figures = await Promise.all(batch.map((item) => measureOne(mode, item, context)));
    if (figures.includes(null)) return null;
    for (const figure of figures) sum += figure ?? 0;
  }
  return Math.round((sum / queries.length) * 10_000) / 10_000;
}

/** Errors after which the whole measurement may be repeated; after others, the mode is not available. */
const unavailable: readonly string[] = ['SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'];

async function measureOne(
  mode: (typeof modes)[number],
  { query, relevant }: JudgedQuery,
  { user, services }: RequestContext,
): Promise<number | null> {
  try {
    const { documents } = await services.search.search(user, { query, mode, limit: depth, group: true });
    const ranking = documents.map(({ id, group, metadata }) => {
      const named = metadata['document_id'];
      return group?.document_id ?? (typeof named === 'string' ? named : id);
    });
    return computeNdcg(ranking, new Map(relevant.map((id) => [id, 1])), depth);
  } catch (error) {
    if (mode !== 'text' && error instanceof AppError && !unavailable.includes(error.code)) return null;
    throw error;
  }
}
