import { Type } from '@sinclair/typebox';
import { DocumentId, DocumentReply, SearchReply, SearchRequestBody, SuggestReply } from '../../model/search/wire';
import { findReadable, readWhole } from '../document/whole';
import { route } from '../http/route';
import { readFacts } from './facts';
import { readLikeness, readScope } from './scope';
import { toSearchRequest } from './search-request';

const { store } = SearchRequestBody.properties;

export const getDocument = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}',
  audit: 'read',
  summary: 'One record or document, if its access list names you.',
  description:
    'The id of a record gives the record; that of a document gives the whole of it, joined from the records that you may read, with the `forms` in which it is available. A missing document and one that you may not read give the same reply.',
  params: Type.Object({ document_id: DocumentId }),
  query: Type.Object({ store }),
  replies: { 200: DocumentReply },
  errors: ['DOCUMENT_NOT_FOUND', 'DOCUMENT_TOO_LARGE', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params, query, ...context }) => {
    const readable = await findReadable(params.document_id, context, query.store);
    return readable.isRecord ? readable.record : readWhole(readable, context);
  },
});

export const searchDocuments = route({
  method: 'POST',
  path: '/api/v1/documents/search',
  scope: 'read',
  audit: 'read',
  summary: 'Searches the documents whose access lists name you.',
  description:
    'All members are optional; `{}` lists everything that you may read. Access lists are part of every query, in every mode.',
  body: SearchRequestBody,
  invalidStatus: 422,
  replies: { 200: SearchReply },
  errors: [
    'VALIDATION_ERROR',
    'DOCUMENT_NOT_FOUND',
    'FLOW_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'DOCUMENT_SET_NOT_FOUND',
    'GRAPH_NOT_FOUND',
    'GRAPH_NOT_READY',
    'FORBIDDEN',
    'TABLE_NOT_FOUND',
    'PAYLOAD_TOO_LARGE',
    'SEARCH_CONNECTION_FAILED',
    'SEARCH_BUSY',
    'LOCALMODEL_CONNECTION_FAILED',
    'EXTERNAL_SERVICE_ERROR',
    'INVALID_RESPONSE',
  ],
  handler: async (exchange) => {
    const { body, user, services, signal } = exchange;
    const [scope, likeness, facts] = await Promise.all([
      readScope(body, exchange),
      readLikeness(body, exchange),
      readFacts(body, exchange),
    ]);
    return services.search.search(user, { ...toSearchRequest(body), ...scope, ...likeness, ...facts }, signal);
  },
});

export const suggestDocuments = route({
  method: 'GET',
  path: '/api/v1/documents/suggest',
  operationId: 'suggestDocuments',
  summary: 'Completions of a question while it is typed.',
  description: 'Based only on the titles and words of records that you may read.',
  query: Type.Object({
    q: Type.String({ minLength: 1, maxLength: 200, description: 'What was typed so far.' }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 10 })),
    index: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Limits the completions to this index, given by name or alias.',
      }),
    ),
    store,
  }),
  replies: { 200: SuggestReply },
  errors: ['SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ query: { q, limit = 10, index, store: named }, user, services, signal }) => {
    const request = {
      text: q,
      limit,
      ...(index === undefined ? {} : { scope: { indexes: [index] } }),
      ...(named ? { store: named } : {}),
    };
    return { suggestions: await services.suggest(user, request, signal) };
  },
});
