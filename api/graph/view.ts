import { buffer } from 'node:stream/consumers';
import { graphFromJson } from '../../graph';
import { buildContribution } from '../../graph/corpus/contribution';
import { createMemoryView } from '../../graph/corpus/memory-view';
import { getTemplate } from '../../graph/request';
import { createPairJudge, listJudgedPairs, type PairJudge } from '../../graph/resolve/judge-pairs';
import { createResolvedView } from '../../graph/resolve/resolved-view';
import { AppError } from '../../model/errors';
import type { GraphView } from '../../model/graph/facts';
import type { GraphRecord } from '../../services/graph/store';
import { type RequestContext, authorize, graphPolicy, read } from '../http/policies';
import { mayReadSource } from './source';

/** Larger files are for graph databases. */
const maxFileBytes = 64 * 1024 * 1024;

/**
 * The view of a user: for a corpus graph the facts of documents that they may read now, otherwise the whole graph if they are
 * its owner and may read its document now.
 */
export async function loadView(id: string, context: RequestContext): Promise<{ graph: GraphRecord; view: GraphView }> {
  const graph = await read(graphPolicy, id, context);
  if (graph.corpus) {
    await authorize(graphPolicy, 'askCorpus', id, context);
    return { graph, view: await openCorpusView(graph, context) };
  }
  await requireReadableGraph(id, context);
  return { graph, view: await openFileView(graph, context) };
}

/**
 * The finished graph of one document, for its requester only: it quotes the document, and administrators are not exempt from
 * access lists.
 */
export async function requireReadableGraph(
  id: string,
  context: RequestContext,
): Promise<GraphRecord & { facts: object }> {
  const graph = await authorize(graphPolicy, 'readFiles', id, context);
  if (!(await mayReadSource(graph.source, context)))
    throw new AppError('DOCUMENT_NOT_FOUND', 'The document of the graph is gone, or you may no longer read it.');
  const { facts, state, error } = graph;
  if (facts) return { ...graph, facts };
  throw new AppError('GRAPH_NOT_READY', `The graph is ${state}, and has no files${error ? `: ${error.message}` : '.'}`);
}

/** The facts of a graph of a corpus that the user may see now. Nodes that are the same by what this user may read are merged. */
export async function openCorpusView(graph: GraphRecord, context: RequestContext): Promise<GraphView> {
  const { pairs } = context.services.graphs;
  const view = openFactsView(graph, context);
  if (!(await pairs.hasMerges(graph.id))) return view;
  const judge = createReaderJudge(graph, view, context);
  return createResolvedView(
    view,
    listJudgedPairs(judge, (ids) => pairs.listDecided(graph.id, ids)),
  );
}

/** Judges pairs of the graph by what the user may read. */
export function createReaderJudge(graph: GraphRecord, view: GraphView, { user, services }: RequestContext): PairJudge {
  const { template } = JSON.parse(graph.corpus?.template ?? '{}') as { template: object };
  const setId = graph.source.document_set_id ?? '';
  return createPairJudge({
    view,
    template: getTemplate(template),
    // Decisions of earlier versions do not name their documents.
    mayReadBasis: async ({ basis }) => {
      if (!basis) return graph.owner === user.username;
      const readable = await services.documentSets.findReadableDocuments(user, setId, basis);
      return basis.every((id) => readable.has(id));
    },
  });
}

/** Like `openCorpusView`, but without merging nodes. */
export function openFactsView({ id, source }: GraphRecord, { user, services }: RequestContext): GraphView {
  const setId = source.document_set_id ?? '';
  return services.graphs.openView(id, (documentIds) =>
    services.documentSets.findReadableDocuments(user, setId, documentIds),
  );
}

async function openFileView(graph: GraphRecord, { services }: RequestContext): Promise<GraphView> {
  const file = graph.facts?.files.find(({ format }) => format === 'json');
  if (!file) throw new AppError('GRAPH_NOT_READY', 'The graph has no graph.json.');
  if (file.bytes > maxFileBytes)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The graph has ${file.bytes} bytes; graphs of up to ${maxFileBytes} can be queried here. Load its files into a graph database.`,
    );
  const content = graphFromJson(await buffer(await services.graphs.open(graph, file)), file.name);
  const documentId = graph.source.document_id ?? graph.source.task_id ?? graph.source.name;
  return createMemoryView(buildContribution(content, { documentId }));
}
