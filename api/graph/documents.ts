import { Type } from '@sinclair/typebox';
import { errorCatalogue, type ErrorCode } from '../../model/errors';
import { GraphId } from '../../model/graph/wire';
import { type GraphDocument, GraphDocuments, GraphDocumentState } from '../../model/graph/wire-documents';
import type { CorpusDocument } from '../../services/graph/corpus-store';
import type { GraphRecord } from '../../services/graph/store';
import { type RequestContext, authorize, graphPolicy, read } from '../http/policies';
import { route } from '../http/route';
import { requireCorpus } from './corpus';
import { readVisiblePage } from './visible-page';

const params = Type.Object({ graph_id: GraphId });

const documentsPerRead = 500;
/** Names are looked up for at most this many documents of a reply. */
const maxNames = 2_000;

export const listGraphDocuments = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/documents',
  audit: 'read',
  summary: 'The source documents of a graph of a corpus, with the reasons for failures.',
  description:
    'In order of id. You see the documents of the set that you may read; only the owner of the graph sees error messages.',
  params,
  query: Type.Object({
    state: Type.Optional(GraphDocumentState),
    after: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4_000, description: 'The `next` value of the previous page.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  replies: { 200: GraphDocuments },
  errors: ['GRAPH_NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  handler: async ({ params: { graph_id }, query: { state, after, limit = 50 }, ...context }) => {
    requireCorpus(await read(graphPolicy, graph_id, context));
    const graph = await authorize(graphPolicy, 'askCorpus', graph_id, context);
    const isOwner = graph.owner === context.user.username;
    const { cursors } = context.services.graphs;
    const place = `graphs/${graph.id}/documents/${context.user.username}`;
    const page = { ...(after === undefined ? {} : { after }), limit, itemsPerRead: documentsPerRead, cursors, place };
    const { items, next } = await readVisiblePage(page, {
      read: (some) =>
        context.services.graphs.listDocuments(graph.id, { ...(state === undefined ? {} : { state }), ...some }),
      getKey: ({ documentId }) => documentId,
      show: async (documents) => {
        const allowed = await readReadable(graph, context, documents);
        const readable = documents.filter(({ documentId }) => allowed.has(documentId));
        return new Map(readable.map((document) => [document, toDocumentReply(document, isOwner)]));
      },
    });
    return { documents: items, next };
  },
});

function readReadable(
  { source }: GraphRecord,
  { user, services }: RequestContext,
  documents: readonly CorpusDocument[],
): Promise<ReadonlySet<string>> {
  const ids = documents.map(({ documentId }) => documentId);
  return services.documentSets.findReadableDocuments(user, source.document_set_id ?? '', ids);
}

function toDocumentReply({ documentId, name, state, error }: CorpusDocument, isOwner: boolean): GraphDocument {
  const { code = '', message = '' } = error ?? {};
  const text = code in errorCatalogue ? errorCatalogue[code as ErrorCode].text : code;
  return { document_id: documentId, name, state, error: error ? { code, message: isOwner ? message : text } : null };
}

/**
 * The reply with the `name` of each document that it names by `document_id`. The reply must only name documents that the user may
 * read. Values of nodes and relations stay as they are, whatever their members are called.
 */
export async function addDocumentNames<T>(reply: T, graph: GraphRecord, { services }: RequestContext): Promise<T> {
  if (!graph.corpus) return mapDocuments(reply, () => graph.source.name) as T;
  const ids = new Set<string>();
  mapDocuments(reply, (id) => void ids.add(id));
  const names = new Map<string, string>();
  const wantedIds = [...ids].slice(0, maxNames);
  if (wantedIds.length > 0)
    for (const { documentId, name } of await services.graphs.listDocuments(graph.id, {
      ids: wantedIds,
      after: '',
      limit: wantedIds.length,
    }))
      names.set(documentId, name);
  return mapDocuments(reply, (id) => names.get(id)) as T;
}

function mapDocuments(value: unknown, findName: (id: string) => string | undefined | void): unknown {
  if (Array.isArray(value)) return value.map((value) => mapDocuments(value, findName));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, item]) =>
    name === 'properties' || name === 'others' ? [name, item] : [name, mapDocuments(item, findName)],
  );
  const copy = Object.fromEntries(members) as Record<string, unknown>;
  const name = typeof copy['document_id'] === 'string' ? findName(copy['document_id']) : undefined;
  return name === undefined ? copy : { ...copy, name };
}
