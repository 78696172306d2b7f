import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { SetId } from '../../model/document-set/wire';
import { AppError } from '../../model/errors';
import { DocumentId } from '../../model/search/wire';
import { listReadableEntries } from '../document/whole';
import { documentSetPolicy, read, type RequestContext, createDocumentNotFoundError } from '../http/policies';
import { reply, route } from '../http/route';

const graphColumns = ['id', 'document_id', 'graph_ref'] as const;

export const getSetGraph = route({
  method: 'GET',
  path: '/api/v1/document-sets/{set_id}/graphs/{document_id}',
  operationId: 'getDocumentSetGraph',
  audit: 'read',
  summary: 'The knowledge graph that a flow made of a document of the set.',
  description:
    'Takes the id of a row or of its document. For users whom the access lists of both name; where the flow may mask or leave out text, only for the owner of its run. `provenance` has the passages that each node comes from, if the flow kept them.',
  params: Type.Object({ set_id: SetId, document_id: DocumentId }),
  query: Type.Object({
    part: Type.Optional(Type.Union([Type.Literal('graph'), Type.Literal('provenance')], { default: 'graph' })),
  }),
  replies: { 200: Type.Unsafe<Readable>({ type: 'object' }) },
  errors: ['DOCUMENT_SET_NOT_FOUND', 'DOCUMENT_NOT_FOUND', 'GRAPH_NOT_FOUND'],
  handler: async ({ params: { set_id, document_id }, query: { part = 'graph' }, ...context }) => {
    await read(documentSetPolicy, set_id, context);
    const folder = await readGraphFolder(set_id, document_id, context);
    const key = `${folder}/${part}.json`;
    if (!(await context.services.keptDocuments.exists(key))) throw createNoGraphError(part);
    const bytes = await context.services.keptDocuments.open(key);
    if (bytes.readableLength === 0) await once(bytes, 'readable');
    return reply(200, bytes, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'private, no-store',
    });
  },
});

/** Where the files of the graph are. A row may name any key, so only a folder of a job that ingested the document counts. */
async function readGraphFolder(setId: string, id: string, context: RequestContext): Promise<string> {
  const { user, services } = context;
  const setColumns = await services.documentSets.listColumns(user, setId, {});
  const columns = graphColumns.filter((name) => setColumns.includes(name));
  let isDocumentFound = false;
  for await (const page of columns.length === 0 ? [] : services.documentSets.readAll(user, setId, columns))
    for (const { id: row, document_id: document = row, graph_ref: ref } of page) {
      if (row !== id && document !== id) continue;
      isDocumentFound = true;
      if (typeof ref !== 'string' || typeof row !== 'string') continue;
      const folder = ref.replace(/\/graph\.json$/, '');
      if (await isOwnFolder(folder, { row, document: typeof document === 'string' ? document : row }, context))
        return folder;
    }
  if (isDocumentFound) throw createNoGraphError('graph');
  throw createDocumentNotFoundError();
}

/** A single path segment that is neither `.` nor `..`. */
const singleName = /^(?!\.{1,2}$)[^/]+$/;

async function isOwnFolder(
  folder: string,
  { row, document }: { row: string; document: string },
  context: RequestContext,
) {
  const entries = await listReadableEntries(document, context);
  return entries.some(({ job_id: job, withholds_text, owner }) => {
    const prefix = `graphs/${job}/${row}/`;
    const isWhole = withholds_text === false || owner === context.user.username;
    const operator = folder.slice(prefix.length);
    return isWhole && folder.startsWith(prefix) && singleName.test(row) && singleName.test(operator);
  });
}

function createNoGraphError(part: 'graph' | 'provenance'): AppError {
  return new AppError(
    'GRAPH_NOT_FOUND',
    part === 'graph'
      ? 'No graph of this document is kept for you: its flow made none, or the files are gone.'
      : 'The flow kept no passages of this graph; set `provenance` of its graph operator to `standard`.',
    { target: { type: 'parameter', name: 'document_id' } },
  );
}
