import { Type } from '@sinclair/typebox';
import { AuditPage } from '../../model/audit/entry';
import { buildPage, paging } from '../http/page';
import { requireAdmin } from '../http/policies';
import { route } from '../http/route';

const time = Type.Optional(Type.String({ format: 'date-time' }));

export const listAudit = route({
  method: 'GET',
  path: '/api/v1/audit',
  operationId: 'listAuditEntries',
  summary: 'The audit log, newest entry first.',
  description:
    'For administrators. Logins, changes, starts of runs, searches and reads of documents, with their outcome; no text of a document or a query. Entries cannot be changed, and are removed after DOCLOOM_AUDIT_DAYS.',
  audit: 'read',
  query: Type.Object({
    ...paging,
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Login name.' })),
    action: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'As in `POST /api/v1/job_runs`.' })),
    outcome: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: '`OK`, or the code of an error.' })),
    since: time,
    until: time,
  }),
  replies: { 200: AuditPage },
  errors: ['FORBIDDEN'],
  handler: async ({ user, options, services, query, url }) => {
    requireAdmin({ user, options }, 'read the audit log');
    const { limit = 100, offset = 0, since, until, ...exact } = query;
    const range = { ...(since ? { since: formatUtc(since) } : {}), ...(until ? { until: formatUtc(until) } : {}) };
    const { items, total } = await services.audit.list({ ...exact, ...range }, { limit, offset });
    return buildPage(url, items, { limit, offset, total });
  },
});

/** Entries contain UTC times, which are compared as strings. */
function formatUtc(localTime: string): string {
  return new Date(localTime).toISOString();
}
