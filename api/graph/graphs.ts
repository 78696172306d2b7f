import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { type GraphFile, graphFormats, isFinalGraph } from '../../model/graph/graph-build';
import {
  GraphChange,
  GraphCreate,
  GraphId,
  GraphPage,
  GraphReply,
  GraphState,
  GraphUpdate,
} from '../../model/graph/wire';
import { literals } from '../../model/literals';
import type { GraphRecord } from '../../services/graph/store';
import { buildPageLinks, paging } from '../http/page';
import { type RequestContext, buildAsker, authorize, graphPolicy, read } from '../http/policies';
import { type Reply, reply, route } from '../http/route';
import { findIdempotencyKey } from '../run/request';
import { readCorpusRequest, isCorpusRequest, refuseWithoutModel, requireCorpus } from './corpus';
import { sendCorpusFile } from './corpus-file';
import { createAttachmentReply, graphMediaTypes, toGraphReply } from './reply';
import { validateRequest } from './request';
import { loadSource } from './source';
import { requireReadableGraph } from './view';

const params = Type.Object({ graph_id: GraphId });
const file = Type.Unsafe<Readable>({ mediaTypes: graphMediaTypes });

export const createGraph = route({
  method: 'POST',
  path: '/api/v1/graphs',
  scope: 'run',
  summary: 'Builds the knowledge graph of a document that you may read.',
  description:
    'Source and template are copied now, and the graph is built by a worker: ask for it until its state is COMPLETED, FAILED or CANCELED. A missing document and one that you may not read give the same answer. For a task of `/v1` send the headers of `/v1`, the tenant’s and, where keys are configured, `X-Api-Key`. Takes `Idempotency-Key`.',
  isIdempotent: true,
  body: GraphCreate,
  replies: { 202: GraphReply },
  errors: [
    'VALIDATION_ERROR',
    'GRAPH_CONFIGURATION_INVALID',
    'DOCUMENT_NOT_FOUND',
    'DOCUMENT_SET_NOT_FOUND',
    'DOCUMENT_TOO_LARGE',
    'CONVERSION_TASK_NOT_FOUND',
    'CONVERSION_RESULT_NOT_READY',
    'TABLE_NOT_FOUND',
    'FORBIDDEN',
    'CONFLICT',
    'SEARCH_CONNECTION_FAILED',
    'SEARCH_BUSY',
    'WORKFLOW_ENGINE_UNAVAILABLE',
  ],
  handler: async ({ body, user, services, options, header }) => {
    const idempotencyKey = findIdempotencyKey(header);
    if (isCorpusRequest(body)) {
      const request = await readCorpusRequest(body, { user, services, options });
      return toGraphReply(await services.graphs.submitCorpus(request), user);
    }
    const checked = validateRequest(body);
    const source = await loadSource(body, { user, services, options, header });
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const text = body.text === undefined ? {} : { text: body.text };
    const graph = {
      ...checked,
      ...source,
      owner: user.username,
      owner_groups: user.groups,
      given: body.template,
      ...text,
      ...key,
    };
    return toGraphReply(await services.graphs.submit(graph), user);
  },
});

export const updateGraph = route({
  method: 'POST',
  path: '/api/v1/graphs/{graph_id}/update',
  scope: 'run',
  summary: 'Brings a graph of a corpus up to date with its document set.',
  description:
    'Reads new and changed documents and removes the facts of those that are gone; other documents are not read again. Until then, the graph shows its current facts.',
  params,
  body: GraphUpdate,
  replies: { 202: GraphReply },
  errors: ['GRAPH_NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params: { graph_id }, body: { limit = null, dry_run: is_dry_run = false }, ...context }) => {
    const graph = requireCorpus(await authorize(graphPolicy, 'change', graph_id, context));
    return toGraphReply(await context.services.graphs.update(graph.id, { limit, is_dry_run }), context.user);
  },
});

export const changeGraph = route({
  method: 'PATCH',
  path: '/api/v1/graphs/{graph_id}',
  summary: 'Changes settings of a graph of a corpus, for its owner.',
  description:
    'New readers may query the graph at once. `resolution` applies from the next update on; when it is switched off, decisions about nodes stay.',
  params,
  body: GraphChange,
  replies: { 200: GraphReply },
  errors: ['GRAPH_NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'GRAPH_CONFIGURATION_INVALID'],
  handler: async ({ params: { graph_id }, body: { readers, ...more }, ...context }) => {
    const graph = requireCorpus(await authorize(graphPolicy, 'configure', graph_id, context));
    refuseWithoutModel(more.resolution, graph.options.backend);
    const settings = { ...more, ...(readers === undefined ? {} : { readers: [...new Set(readers)] }) };
    return toGraphReply((await context.services.graphs.change(graph.id, settings)) ?? graph, context.user);
  },
});

export const listGraphs = route({
  method: 'GET',
  path: '/api/v1/graphs',
  summary: 'Your graphs, newest first. Administrators get all graphs.',
  query: Type.Object({ ...paging, state: Type.Optional(GraphState) }),
  replies: { 200: GraphPage },
  handler: async ({ query, user, services, options, url }) => {
    const { limit = 100, offset = 0, state } = query;
    const page = { limit, offset, ...(state === undefined ? {} : { state }) };
    const { items, total } = await services.graphs.list(buildAsker({ user, options }), page);
    return {
      items: items.map((graph) => toGraphReply(graph, user)),
      total,
      limit,
      offset,
      ...buildPageLinks(url, { limit, offset, total }),
    };
  },
});

export const getGraph = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}',
  summary: 'State, progress, error and files of a graph, for its owner and administrators.',
  description: 'Only the owner sees the name of the document and the error message; administrators see the error code.',
  params,
  replies: { 200: GraphReply },
  errors: ['GRAPH_NOT_FOUND'],
  handler: async ({ params: { graph_id }, ...context }) =>
    toGraphReply(await read(graphPolicy, graph_id, context), context.user),
});

export const deleteGraph = route({
  method: 'DELETE',
  path: '/api/v1/graphs/{graph_id}',
  summary: 'Cancels a graph that is being built; removes a finished one with its files.',
  description: '202 with the graph if it was cancelled; 204 if it was removed.',
  params,
  replies: { 202: GraphReply, 204: Type.Null() },
  errors: ['GRAPH_NOT_FOUND', 'FORBIDDEN', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params: { graph_id }, ...context }) => {
    const { user, services } = context;
    const graph = await authorize(graphPolicy, 'change', graph_id, context);
    if (!isFinalGraph(graph.state))
      return reply(202, toGraphReply((await services.graphs.cancel(graph_id)) ?? graph, user));
    await services.graphs.remove(graph_id);
    return reply(204, null);
  },
});

export const getGraphResult = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/result',
  audit: 'read',
  summary: 'A graph in one of its formats, or all of its files, for its owner.',
  description:
    'A format that consists of one file is sent as that file; `csv` and `parquet` consist of two and are sent as a zip archive; `zip` contains all files. For a document of the index, you must still be allowed to read it.',
  params,
  query: Type.Object({
    format: Type.Optional(literals([...graphFormats, 'zip' as const], { default: 'json' })),
  }),
  replies: { 200: file },
  errors: [
    'GRAPH_NOT_FOUND',
    'GRAPH_NOT_READY',
    'NOT_FOUND',
    'FORBIDDEN',
    'DOCUMENT_NOT_FOUND',
    'TABLE_NOT_FOUND',
    'PAYLOAD_TOO_LARGE',
  ],
  handler: async ({ params: { graph_id }, query: { format = 'json' }, ...context }) => {
    if ((await read(graphPolicy, graph_id, context)).corpus) return sendCorpusFile(graph_id, format, context);
    const graph = await requireReadableGraph(graph_id, context);
    const { files } = graph.facts;
    const wantedFiles = files.filter((graphFile) => format === 'zip' || graphFile.format === format);
    const [first] = wantedFiles;
    if (!first) throw createNoSuchFileError(`in the format ${format}`, files);
    // The second script has the same content in another style, so it has a different name.
    if (wantedFiles.length === 1 || format === 'cypher') return sendFile(context, graph, first);
    const archive = context.services.graphs.streamArchive(graph, wantedFiles);
    await once(archive, 'readable');
    return createAttachmentReply(archive, `graph-${graph.id}${format === 'zip' ? '' : `-${format}`}.zip`);
  },
});

export const getGraphFile = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/files/{name}',
  audit: 'read',
  summary: 'A single file of a graph, for its owner.',
  params: Type.Object({ graph_id: GraphId, name: Type.String({ minLength: 1, maxLength: 100 }) }),
  replies: { 200: file },
  errors: ['GRAPH_NOT_FOUND', 'GRAPH_NOT_READY', 'NOT_FOUND', 'FORBIDDEN', 'DOCUMENT_NOT_FOUND', 'TABLE_NOT_FOUND'],
  handler: async ({ params: { graph_id, name }, ...context }) => {
    const graph = await requireReadableGraph(graph_id, context);
    const { files } = graph.facts;
    const file = files.find((graphFile) => graphFile.name === name);
    if (!file) throw createNoSuchFileError(`'${name}'`, files);
    return sendFile(context, graph, file);
  },
});

async function sendFile(
  { services }: RequestContext,
  graph: GraphRecord,
  graphFile: GraphFile,
): Promise<Reply<Readable>> {
  return createAttachmentReply(await services.graphs.open(graph, graphFile), graphFile.name);
}

function createNoSuchFileError(value: string, files: readonly GraphFile[]): AppError {
  return new AppError(
    'NOT_FOUND',
    `The graph has no file ${value}; it has ${files.map(({ name }) => name).join(', ')}.`,
  );
}
