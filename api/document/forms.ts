import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { KeptForm } from '../../model/run/kept-document';
import { DocumentId, SearchReply, SearchRequestBody } from '../../model/search/wire';
import { createAttachmentHeader } from '../http/attachment';
import type { RequestContext } from '../http/policies';
import { reply, route } from '../http/route';
import { findForm, findReadable } from './whole';

const params = Type.Object({ document_id: DocumentId });
const errors = ['DOCUMENT_NOT_FOUND', 'DOCUMENT_FORM_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'] as const;
const forReaders =
  'By the id of the document or of one of its records. For those whom its access list names; where the flow may mask or leave out text, only for the owner of its run.';
const uncached = { 'Cache-Control': 'private, no-store' };

/** The schema of a reply that is a file of this media type. */
export function createBytesSchema(mediaType: string) {
  return Type.Unsafe<Readable>({ type: 'string', contentMediaType: mediaType });
}

/** Opens a form of a document for a reader. An error before the first byte becomes an error reply. */
async function openForm(id: string, form: KeptForm, context: RequestContext) {
  const { documentId } = await findReadable(id, context);
  const { key, entry } = await findForm(documentId, form, context);
  const bytes = await context.services.keptDocuments.open(key);
  if (bytes.readableLength === 0) await once(bytes, 'readable');
  return { bytes, entry };
}

export const getDocumentOriginal = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/original',
  audit: 'read',
  summary: 'The file that a document was read from, as an attachment.',
  description: `As it was when the document was ingested, if DOCLOOM_KEEP_ORIGINALS_MB kept it. ${forReaders}`,
  params,
  replies: { 200: createBytesSchema('application/octet-stream') },
  errors,
  handler: async ({ params: { document_id }, ...context }) => {
    const { bytes, entry } = await openForm(document_id, 'original', context);
    return reply(200, bytes, { ...uncached, ...createAttachmentHeader(entry.name) });
  },
});

export const getDocumentMarkdown = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/markdown',
  audit: 'read',
  summary: 'A whole document as Markdown.',
  description: forReaders,
  params,
  replies: { 200: createBytesSchema('text/markdown') },
  errors,
  handler: async ({ params: { document_id }, ...context }) => {
    const { bytes } = await openForm(document_id, 'markdown', context);
    return reply(200, bytes, { 'Content-Type': 'text/markdown; charset=utf-8', ...uncached });
  },
});

export const getDocumentJson = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/json',
  audit: 'read',
  summary: 'A whole document as a DoclingDocument: structure, tables, pages and boxes.',
  description: forReaders,
  params,
  replies: { 200: Type.Unsafe<Readable>({ type: 'object' }) },
  errors,
  handler: async ({ params: { document_id }, ...context }) => {
    const { bytes } = await openForm(document_id, 'json', context);
    return reply(200, bytes, { 'Content-Type': 'application/json; charset=utf-8', ...uncached });
  },
});

export const listDocumentChunks = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/chunks',
  audit: 'read',
  summary: 'The records of a document that you may read, in their order.',
  description: 'By the id of the document or of one of its records.',
  params,
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 99_900, default: 0 })),
    store: SearchRequestBody.properties.store,
  }),
  replies: { 200: SearchReply },
  errors: ['DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { document_id }, query: { limit = 100, offset = 0, store }, ...context }) => {
    const { documentId, record } = await findReadable(document_id, context, store);
    const isChunk = typeof record.metadata['chunk_index'] === 'number';
    return context.services.search.search(context.user, {
      filters: { document_id: documentId },
      sort: isChunk ? [{ 'metadata.chunk_index': 'asc' }] : [],
      limit,
      offset,
      ...(store ? { store } : {}),
    });
  },
});
