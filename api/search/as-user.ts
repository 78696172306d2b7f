import { SearchAsReply, SearchAsRequest } from '../../model/search/wire-access';
import type { DocumentReply } from '../../services/search/ports';
import { getRule } from '../document/explain';
import { requireAdmin } from '../http/policies';
import { route } from '../http/route';

export const searchAs = route({
  method: 'POST',
  path: '/api/v1/documents/search_as',
  scope: 'read',
  summary: 'Shows what another user would find: ids, counts and the rule that lets the user read each document.',
  description:
    'For administrators. The reply contains no content, and titles only for documents that the administrator may read. A search still reveals which documents contain a word, so the audit log records each use with the user name.',
  body: SearchAsRequest,
  invalidStatus: 422,
  replies: { 200: SearchAsReply },
  errors: [
    'FORBIDDEN',
    'VALIDATION_ERROR',
    'SEARCH_CONNECTION_FAILED',
    'SEARCH_BUSY',
    'LOCALMODEL_CONNECTION_FAILED',
    'EXTERNAL_SERVICE_ERROR',
    'INVALID_RESPONSE',
  ],
  handler: async ({ body: { user_id: username, query, mode = 'text', limit = 20, offset = 0 }, ...context }) => {
    const { user, services, options, signal } = context;
    requireAdmin({ user, options }, 'search as another user');
    const searchRequest = { ...(query ? { query } : {}), ...(mode === 'text' ? {} : { mode }), limit, offset };
    const other = { ...(await services.readers.find(username)), email: '', full_name: '', groups: [] };
    const { documents, total, warnings } = await services.search.search(other, searchRequest, signal);
    const ownDocuments = await Promise.all(documents.map(({ id }) => services.search.get(user, id)));
    return {
      user_id: username,
      total,
      hits: documents.map((document, index) => toHit(document, ownDocuments[index])),
      ...(warnings ? { warnings } : {}),
    };
  },
});

function toHit({ id, metadata }: DocumentReply, ownDocument: DocumentReply | undefined): SearchAsReply['hits'][number] {
  const { document_id: document, access_rule: rule } = metadata;
  return {
    id,
    document_id: typeof document === 'string' ? document : id,
    rule: getRule(rule),
    ...(ownDocument ? { title: ownDocument.title } : {}),
  };
}
