import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { listOperators } from '../../model/flow/plan';
import { suggestName } from '../../model/nearest-name';
import { StepRowPage } from '../../model/run/wire-rows';
import type { RunRecord } from '../../services/run/run-record';
import { createAttachmentHeader } from '../http/attachment';
import { columnChoice, buildChoice, replyWithRows, rowFileQuery, rowFileReplies } from '../http/columns';
import { authorize, runPolicy } from '../http/policies';
import { route } from '../http/route';

const params = Type.Object({ job_run_id: Type.String({ format: 'uuid' }) });
const operator = Type.String({
  minLength: 1,
  maxLength: 600,
  description: 'Name of an operator of the flow, or of a branch as in `name.branch`.',
});
const errors = ['JOB_RUN_NOT_FOUND', 'FORBIDDEN', 'VALIDATION_ERROR', 'TABLE_NOT_FOUND'] as const;

export const listStepRows = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/rows',
  operationId: 'listStepRows',
  audit: 'read',
  summary: 'Rows that an operator of a run wrote and whose access list names you.',
  description:
    'Of a run in progress, those written so far. Runs of others show rows only where their flow masks and omits no text.',
  params,
  query: Type.Object({
    operator,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, default: 0 })),
    ...columnChoice,
  }),
  replies: { 200: StepRowPage },
  errors,
  handler: async ({ params: { job_run_id }, query, ...context }) => {
    const { user, services } = context;
    const run = await authorize(runPolicy, 'readDocuments', job_run_id, context);
    requireOperator(run, query.operator);
    const { limit = 20, offset = 0 } = query;
    const step = { run, operator: query.operator, user };
    const { columns, rows, hasMore } = await services.stepRows.readPage(step, { ...buildChoice(query), limit, offset });
    return { job_run_id, operator: query.operator, columns, rows, limit, offset, has_more: hasMore };
  },
});

export const exportStepRows = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/rows/export',
  operationId: 'exportStepRows',
  audit: 'read',
  summary: 'All rows that an operator of a run wrote and whose access list names you, as a single file.',
  params,
  query: Type.Object({ operator, ...rowFileQuery }),
  replies: rowFileReplies,
  errors,
  handler: async ({ params: { job_run_id }, query, ...context }) => {
    const { user, services } = context;
    const run = await authorize(runPolicy, 'readDocuments', job_run_id, context);
    requireOperator(run, query.operator);
    const step = { run, operator: query.operator, user };
    const rows = await services.stepRows.readAll(step, buildChoice(query));
    return replyWithRows(rows, query, {
      attachment: (extension) => createAttachmentHeader(`${query.operator}.${extension}`),
      exportRows: services.exportRows,
    });
  },
});

function requireOperator({ snapshot }: RunRecord, given: string): void {
  const names = listOperators(snapshot.plan).map(({ name }) => name);
  if (names.some((name) => given === name || given.startsWith(`${name}.`))) return;
  throw new AppError('VALIDATION_ERROR', `The run has no operator '${given}'${suggestName(given, names, 'it has')}`, {
    target: { type: 'parameter', name: 'operator' },
  });
}
