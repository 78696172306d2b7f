import { Type } from '@sinclair/typebox';
import { describeEmbedding } from '../../model/llm/index-embedding';
import { IndexName, IndexPage, IndexPatch, IndexReply } from '../../model/search/wire-indexes';
import type { OwnIndex } from '../../services/vector/index-catalogue';
import { buildPage, paging } from '../http/page';
import { type RequestContext, authorize, indexPolicy, read } from '../http/policies';
import { route } from '../http/route';

const params = Type.Object({ index_name: IndexName });

export const listIndexes = route({
  method: 'GET',
  path: '/api/v1/indexes',
  summary:
    'Indexes of the configured search server that you own or may write to, sorted by name. Administrators get all indexes.',
  query: Type.Object(paging),
  replies: { 200: IndexPage },
  errors: ['SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ query: { limit = 100, offset = 0 }, url, ...context }) => {
    const { user, options, services } = context;
    const { items, total } = await services.indexes.list(user, options.adminGroups, { limit, offset });
    const replies = await Promise.all(items.map((index) => toReply(index, context)));
    return buildPage(url, replies, { limit, offset, total });
  },
});

export const getIndex = route({
  method: 'GET',
  path: '/api/v1/indexes/{index_name}',
  summary: 'One index, with the number of its records that you may read.',
  params,
  replies: { 200: IndexReply },
  errors: ['INDEX_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { index_name }, ...context }) =>
    toReply(await read(indexPolicy, index_name, context), context),
});

export const patchIndex = route({
  method: 'PATCH',
  path: '/api/v1/indexes/{index_name}',
  summary: 'Changes the description of an index.',
  description:
    'For its owner and administrators. Its name in flows does not change; an `alias` of vectordb gives it another name.',
  params,
  body: IndexPatch,
  replies: { 200: IndexReply },
  errors: ['INDEX_NOT_FOUND', 'FORBIDDEN', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { index_name }, body: { description }, ...context }) => {
    const index = await authorize(indexPolicy, 'change', index_name, context);
    if (description !== undefined) await context.services.indexes.describe(index.uuid, description);
    return toReply(await read(indexPolicy, index_name, context), context);
  },
});

export const dropIndex = route({
  method: 'DELETE',
  path: '/api/v1/indexes/{index_name}',
  summary: 'Drops an index with all its records.',
  description:
    'For its owner and administrators. Document sets, stored documents and the ledger remain. The next run of a flow that writes to the index creates it again and ingests its documents again.',
  params,
  replies: { 204: Type.Void() },
  errors: ['INDEX_NOT_FOUND', 'FORBIDDEN', 'SEARCH_CONNECTION_FAILED'],
  handler: async ({ params: { index_name }, ...context }) => {
    const index = await authorize(indexPolicy, 'change', index_name, context);
    if (!(await context.services.indexes.drop(index))) throw indexPolicy.notFound(index_name);
  },
});

async function toReply(index: OwnIndex, { user, services }: RequestContext): Promise<IndexReply> {
  const { name, description, owner, writers, is_searched, dimension, embedding } = index;
  const { total } = is_searched
    ? await services.search.search(user, { scope: { indexes: [name] }, limit: 1 })
    : { total: 0 };
  return {
    name,
    description,
    owner,
    writers,
    is_searched,
    records: total,
    ...(dimension === undefined ? {} : { dimension }),
    ...(embedding ? { embedder: describeEmbedding(embedding) } : {}),
  };
}
