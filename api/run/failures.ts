import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { isAdmin, type User } from '../../model/access';
import { asAppError, type ErrorCode, errorCatalogue, spellCode } from '../../model/errors';
import { toCsvCell } from '../../model/export/csv-cell';
import {
  FailedDocumentChoice,
  FailedDocumentGroups,
  FailedDocumentPage,
  type FailedDocumentReply,
  FailedDocumentsChanged,
  FailedDocumentsIgnore,
  FailedDocumentsLeave,
  FailedDocumentsRetried,
  FailureState,
} from '../../model/run/wire-failures';
import type { FailedDocument, FailureFilter } from '../../services/run/failures';
import { paging } from '../http/page';
import { reply, route } from '../http/route';
import type { ApiOptions, ApiServices } from '../services';
import { anonymizeDocument, mayNameDocuments } from './names';
import { repeatDocuments } from './repeat';

const filters = {
  code: Type.Optional(Type.String({ maxLength: 100, description: 'An error code.' })),
  operator: Type.Optional(Type.String({ maxLength: 255, description: 'The name of an operator.' })),
  flow_id: Type.Optional(Type.String({ maxLength: 100 })),
  state: Type.Optional(FailureState),
};
const Csv = Type.Unsafe<Readable>({ type: 'string', contentMediaType: 'text/csv', description: 'With a header line.' });
const pageSize = 500;
/** Maximum number of documents in one retry. */
const maxRetried = 10_000;

export const listFailedDocuments = route({
  method: 'GET',
  path: '/api/v1/failed_documents',
  summary: 'Documents whose last attempt failed, from all your runs.',
  description:
    'A document leaves the list when a later run succeeds with it, or when it is gone from its source. Administrators see the failures of others by code, without name and reason.',
  query: Type.Object({ ...paging, ...filters }),
  replies: { 200: FailedDocumentPage },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ query: { limit = 100, offset = 0, ...filter }, user, services, options }) => {
    const { items, total } = await services.failures.list(user, restrictToUser(filter, user, options), {
      limit,
      offset,
    });
    return { documents: items.map((item) => toReply(user, item)), total, limit, offset };
  },
});

export const countFailedDocuments = route({
  method: 'GET',
  path: '/api/v1/failed_documents/groups',
  operationId: 'groupFailedDocuments',
  summary: 'How many documents failed by code, operator or flow.',
  query: Type.Object({
    by: Type.Optional(
      Type.Union([Type.Literal('code'), Type.Literal('operator'), Type.Literal('flow_id')], { default: 'code' }),
    ),
    ...filters,
  }),
  replies: { 200: FailedDocumentGroups },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ query: { by = 'code', ...filter }, user, services, options }) => {
    const groups = await services.failures.countByGroup(user, restrictToUser(filter, user, options), by);
    const named = by === 'code' ? groups.map((group) => ({ ...group, name: describeCode(group.key) })) : groups;
    return { by, groups: named, total: groups.reduce((sum, { count }) => sum + count, 0) };
  },
});

/** The catalogue's description of a code; codes of custom operators are not in it. */
export function describeCode(code: string): string {
  return Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code as ErrorCode].text : code;
}

export const reportFailedDocuments = route({
  method: 'GET',
  path: '/api/v1/failed_documents/report',
  summary: 'Failed documents as CSV.',
  query: Type.Object(filters),
  replies: { 200: Csv },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: ({ query, user, services, options }) =>
    reply(200, Readable.from(writeCsv(services, user, restrictToUser(query, user, options))), {
      'Content-Disposition': 'attachment; filename="failed-documents.csv"',
    }),
});

export const retryFailedDocuments = route({
  method: 'POST',
  path: '/api/v1/failed_documents/retry',
  scope: 'run',
  summary: 'Runs failed documents again, without the others.',
  description:
    'Starts one run for each run in which they failed, at most 10,000 documents. What cannot run again, because its tables are gone or its run is still in progress, is listed in `refused`. Your own documents only.',
  body: FailedDocumentChoice,
  replies: { 200: FailedDocumentsRetried },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ body, ...context }) => {
    const { user, services, options } = context;
    const { items } = await services.failures.list(user, body, { limit: maxRetried, offset: 0 });
    const byRun = new Map<string, FailedDocument[]>();
    for (const item of items) {
      const ofRun = byRun.get(item.job_run_id) ?? [];
      ofRun.push(item);
      byRun.set(item.job_run_id, ofRun);
    }
    const runs: FailedDocumentsRetried['runs'] = [];
    const refused: FailedDocumentsRetried['refused'] = [];
    for (const [runId, documents] of byRun) {
      try {
        const ids = documents.map(({ document_id: id }) => id);
        const { run } = await repeatDocuments(context, runId, { mode: 'failed', documents: ids });
        runs.push({ job_run_id: run.job_run_id, flow_name: run.flow_name, documents: documents.length });
      } catch (error) {
        const { code, message, status } = asAppError(error);
        // A problem with one run does not affect the others; an unavailable server ends the request.
        if (status >= 500) throw error;
        refused.push({
          job_run_id: runId,
          documents: documents.length,
          code: spellCode(code, options.codeCase),
          message,
        });
      }
    }
    return { runs, refused };
  },
});

export const leaveOutFailedDocuments = route({
  method: 'POST',
  path: '/api/v1/failed_documents/leave_out',
  scope: 'run',
  summary: 'Excludes failed documents from runs until they change, or includes them again.',
  description:
    'Documents that could not even be read cannot be left out, since a change of them could not be noticed; they are not counted in `changed`. Your own documents only.',
  body: FailedDocumentsLeave,
  replies: { 200: FailedDocumentsChanged },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ body: { leave_out, ...choice }, user, services }) => ({
    changed: await services.failures.setState(user, choice, leave_out ? 'left_out' : 'failed'),
  }),
});

export const ignoreFailedDocuments = route({
  method: 'POST',
  path: '/api/v1/failed_documents/ignore',
  scope: 'run',
  summary: 'Ignores failed documents, or lists them as failed again.',
  description:
    'Runs continue to retry ignored documents. If one fails with another code, it is listed as failed again. Documents that are left out do not change. Your own documents only.',
  body: FailedDocumentsIgnore,
  replies: { 200: FailedDocumentsChanged },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ body: { ignore, ...choice }, user, services }) => ({
    changed: await services.failures.setIgnored(user, choice, ignore),
  }),
});

function restrictToUser(
  filter: Omit<FailureFilter, 'everyone' | 'ids'>,
  user: User,
  { adminGroups }: Pick<ApiOptions, 'adminGroups'>,
): FailureFilter {
  return { ...filter, everyone: isAdmin(user, adminGroups) };
}

function toReply(user: User, failure: FailedDocument): FailedDocumentReply {
  if (mayNameDocuments(failure, user)) return failure;
  const { name, message } = anonymizeDocument({ ...failure, outcome: 'failed' });
  return { ...failure, name, message };
}

async function* writeCsv(
  { failures }: Pick<ApiServices, 'failures'>,
  user: User,
  filter: FailureFilter,
): AsyncGenerator<string, void, void> {
  yield formatLine(['Document', 'Flow', 'Run', 'Operator', 'Code', 'Reason', 'State', 'First failed', 'Last failed']);
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await failures.list(user, filter, { limit: pageSize, offset });
    for (const item of items) {
      const { name, flow_name, job_run_id, operator, code, message, state, first_failed_at, failed_at } = toReply(
        user,
        item,
      );
      yield formatLine([name, flow_name, job_run_id, operator, code, message, state, first_failed_at, failed_at]);
    }
    if (items.length < pageSize) return;
  }
}

function formatLine(values: readonly string[]): string {
  return `${values.map((value) => toCsvCell(value)).join(',')}\r\n`;
}
