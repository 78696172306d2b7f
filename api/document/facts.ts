import { Type } from '@sinclair/typebox';
import { DocumentId } from '../../model/search/wire';
import { DocumentFacts } from '../../model/search/wire-document-facts';
import type { GraphRecord } from '../../services/graph/store';
import { buildAsker, type RequestContext } from '../http/policies';
import { route } from '../http/route';
import { findReadable } from './whole';

const maxSets = 20;
const maxRows = 20;
const maxGraphs = 20;

export const getDocumentFacts = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/facts',
  audit: 'read',
  summary: 'The facts that flows found in a document, and the graphs that contain it.',
  description:
    'For those who may read the document: its rows in the document sets that they may see, as far as the access lists of the rows name them, and the graphs that they own or may read.',
  params: Type.Object({ document_id: DocumentId }),
  replies: { 200: DocumentFacts },
  errors: ['DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { document_id }, ...context }) => {
    const { documentId } = await findReadable(document_id, context);
    const { user, services } = context;
    const setIds = await services.documentSets.listSetsWith(user, documentId, maxSets * 10);
    const [sets, graphs] = await Promise.all([
      listSets(documentId, setIds, context),
      listGraphs(documentId, setIds, context),
    ]);
    return { document_id: documentId, sets, graphs };
  },
});

async function listSets(documentId: string, ids: readonly string[], context: RequestContext) {
  const { user, services } = context;
  if (ids.length === 0) return [];
  const { items } = await services.documentSets.list(buildAsker(context), { limit: maxSets, offset: 0, ids });
  const sets: DocumentFacts['sets'] = [];
  for (const { id, name, owner } of items) {
    const columns = await services.documentSets.listColumns(user, id, {});
    const page = { columns, limit: maxRows, offset: 0, documentId };
    const { rows, totalRows } = await services.documentSets.preview(user, id, page);
    sets.push({ set_id: id, name, owner, total_rows: totalRows, rows });
  }
  return sets;
}

/** Graphs that the user owns or may read, for administrators too: a graph shows the text of its document. */
async function listGraphs(documentId: string, setIds: readonly string[], { user, services }: RequestContext) {
  const query = { limit: maxGraphs, offset: 0, about: { documentId, setIds } };
  const { items } = await services.graphs.list({ user, everyone: false }, query);
  const graphs: DocumentFacts['graphs'] = [];
  for (const graph of items)
    if (!graph.corpus || (await mayReadRows(graph, documentId, { user, services }))) graphs.push(toReply(graph));
  return graphs;
}

/** True if the corpus contains the document and the user may read all of its rows there. */
async function mayReadRows(
  { id, source }: GraphRecord,
  documentId: string,
  { user, services }: Pick<RequestContext, 'user' | 'services'>,
): Promise<boolean> {
  const [document] = await services.graphs.listDocuments(id, { ids: [documentId], after: '', limit: 1 });
  if (!document) return false;
  const readable = await services.documentSets.findReadableDocuments(user, source.document_set_id ?? '', [documentId]);
  return readable.has(documentId);
}

function toReply({ id, name, template, state, created_at }: GraphRecord): DocumentFacts['graphs'][number] {
  return { graph_id: id, name: name ?? null, template, state, created_at };
}
