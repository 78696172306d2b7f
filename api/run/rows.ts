import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { listOperators } from '../../model/flow/plan';
import { suggestName } from '../../model/nearest-name';
import { StepRowPage } from '../../model/run/wire-rows';
import { exportFormats, readFirstPage } from '../../services/document-set/document-set-export';
import type { RunRecord } from '../../services/run/run-record';
import { createAttachmentHeader } from '../http/attachment';
import { columnChoice, buildChoice, exactCells } from '../http/columns';
import { authorize, runPolicy } from '../http/policies';
import { reply, route } from '../http/route';

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
  query: Type.Object({
    operator,
    format: Type.Optional(
      Type.Union([Type.Literal('parquet'), Type.Literal('csv'), Type.Literal('jsonl')], { default: 'jsonl' }),
    ),
    exact: exactCells,
    ...columnChoice,
  }),
  replies: { 200: Type.Unsafe<Readable>({ type: 'string', mediaTypes: Object.values(exportFormats) }) },
  errors,
  handler: async ({ params: { job_run_id }, query, ...context }) => {
    const { user, services } = context;
    const { format = 'jsonl' } = query;
    const run = await authorize(runPolicy, 'readDocuments', job_run_id, context);
    requireOperator(run, query.operator);
    const { columns, pages } = await services.stepRows.readAll(
      { run, operator: query.operator, user },
      buildChoice(query),
    );
    const file = services.exportRows(format, columns, await readFirstPage(pages), { exact: query.exact });
    // An error before the first byte becomes an error reply rather than an aborted connection.
    await once(file, 'readable');
    return reply(200, file, {
      'Content-Type': exportFormats[format],
      'Cache-Control': 'no-store',
      ...createAttachmentHeader(`${query.operator}.${format}`),
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
