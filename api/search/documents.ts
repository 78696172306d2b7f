import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { DocumentReply, SearchReply, SearchRequestBody } from '../../model/search/wire';
import { route } from '../http/route';
import { readLikeness, readScope } from './scope';

export const getDocument = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}',
  audit: 'read',
  summary: 'One document, if its access list names you.',
  description: 'A missing document and one that you may not read give the same reply.',
  tags: ['Documents'],
  auth: 'user',
  params: Type.Object({ document_id: Type.String({ minLength: 1, maxLength: 512 }) }),
  replies: { 200: DocumentReply },
  errors: ['DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED'],
  handler: async ({ params, user, services }) => {
    const document = await services.search.get(user, params.document_id);
    if (document) return document;
    throw new AppError('DOCUMENT_NOT_FOUND', 'Document not found.', {
      target: { type: 'parameter', name: 'document_id' },
    });
  },
});

export const searchDocuments = route({
  method: 'POST',
  path: '/api/v1/documents/search',
  audit: 'read',
  summary: 'Searches the documents whose access lists name you.',
  description:
    'All members are optional; `{}` lists everything that you may read. Access lists are part of every query, in every mode.',
  tags: ['Documents'],
  auth: 'user',
  body: SearchRequestBody,
  invalidStatus: 422,
  replies: { 200: SearchReply },
  errors: [
    'VALIDATION_ERROR',
    'DOCUMENT_NOT_FOUND',
    'FLOW_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'DOCUMENT_SET_NOT_FOUND',
    'SEARCH_CONNECTION_FAILED',
    'LOCALMODEL_CONNECTION_FAILED',
    'EXTERNAL_SERVICE_ERROR',
    'INVALID_RESPONSE',
  ],
  handler: async (exchange) => {
    const { body, user, services } = exchange;
    const { query, filters, sort, limit, offset, mode, embedding, highlight, provenance, group, expand } = body;
    const [scope, likeness] = await Promise.all([readScope(body, exchange), readLikeness(body, exchange)]);
    return services.search.search(user, {
      query: query ?? undefined,
      filters: filters ?? undefined,
      sort: sort ?? undefined,
      limit,
      offset,
      ...scope,
      ...likeness,
      ...(mode === undefined || mode === 'text' ? {} : { mode }),
      ...(embedding ? { embedding } : {}),
      ...(highlight ? { highlight } : {}),
      ...(provenance ? { provenance } : {}),
      ...(group ? { group } : {}),
      ...(expand ? { expand } : {}),
      ...(body.facets?.length
        ? { facets: body.facets.map((one) => (typeof one === 'string' ? { field: one } : one)) }
        : {}),
    });
  },
});
