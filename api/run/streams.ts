import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { literals } from '../../model/literals';
import { isFinal } from '../../model/run/run';
import { RunEvent } from '../../model/run/wire';
import { logLevels, RunLogPage } from '../../model/run/wire-log';
import { authorize, read, runPolicy } from '../http/policies';
import { reply, route } from '../http/route';
import { writeRunCsv } from './csv';
import { streamRunEvents } from './events';
import { streamLogLines, readLogPage } from './log';
import { mayNameDocuments } from './names';
import { findSettledRun } from './state';

const JobRunId = Type.Object({ job_run_id: Type.String({ format: 'uuid' }) });
const Csv = Type.Unsafe<Readable>({ type: 'string', contentMediaType: 'text/csv', description: 'With a header line.' });
/** One event; a reply is a stream of events. */
const Events = Type.Unsafe<Readable>({
  type: 'object',
  contentMediaType: 'text/event-stream',
  description: 'A stream of these events.',
  properties: {
    event: { type: 'string', enum: ['progress', 'end'] },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: RunEvent },
  },
});

const streamHeaders = {
  'Cache-Control': 'no-store',
  // The connection ends with the stream, so that a stopping server need not wait for it.
  Connection: 'close',
  // Prevents proxies from buffering events.
  'X-Accel-Buffering': 'no',
};
const jsonLines = 'application/x-ndjson';
/** A page, or the same entries as lines of JSON. */
const Log = Type.Unsafe<RunLogPage | Readable>({ ...RunLogPage, mediaTypes: ['application/json', jsonLines] });

export const getRunLog = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/log',
  summary: 'The log of a run by operator, batch and document, oldest entries first.',
  description:
    'A page of entries, or with `Accept: application/x-ndjson` the whole log as lines of JSON (RunLogEntry). `follow` sends such lines until the run has ended, for 15 minutes at most, with blank lines in between; continue with `after`. Contains no text of documents; only the owner of the run sees names of documents, and messages that name them. Members of the project see no entries of single documents.',
  params: JobRunId,
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
    after: Type.Optional(Type.String({ maxLength: 2_000, description: 'The `next` of a page.' })),
    level: Type.Optional(literals(logLevels, { description: 'Entries of this level and above.' })),
    operator: Type.Optional(Type.String({ maxLength: 255 })),
    document_id: Type.Optional(
      Type.String({ maxLength: 255, description: 'What happened to this document, operator by operator.' }),
    ),
    follow: Type.Optional(Type.Boolean({ default: false, description: 'Send JSON lines as they arrive.' })),
  }),
  replies: { 200: Log },
  errors: ['JOB_RUN_NOT_FOUND'],
  handler: async ({ params, query: { limit = 100, follow = false, ...query }, header, ...context }) => {
    const { services, options } = context;
    const stored = await read(runPolicy, params.job_run_id, context);
    const { run } = await findSettledRun(stored, services, options.probeTimeoutMs);
    if (!follow && !header('Accept')?.includes(jsonLines))
      return reply(200, await readLogPage(run, query, limit, context), { 'Cache-Control': 'no-store' });
    return reply(200, Readable.from(streamLogLines(run, query, follow, context)), {
      ...streamHeaders,
      'Content-Type': `${jsonLines}; charset=utf-8`,
    });
  },
});

export const getRunReport = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/report',
  summary: 'The outcome of each document of a finished run, as CSV.',
  description:
    'Columns: GUID, File name, Status, Status reason, Time stamp, Pages, Processing time (seconds; an equal share of the time that the operators took for its batch). 425 until the run has finished.',
  params: JobRunId,
  query: Type.Object({
    exact: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Texts exactly as they are. Otherwise those that a spreadsheet would take for formulas get an apostrophe in front.',
      }),
    ),
  }),
  replies: { 200: Csv },
  errors: ['JOB_RUN_NOT_FOUND', 'FORBIDDEN', 'JOB_RUN_NOT_FINISHED'],
  handler: async ({ params, query, ...context }) => {
    const { user, services, options } = context;
    const stored = await authorize(runPolicy, 'readDocuments', params.job_run_id, context);
    const { run } = await findSettledRun(stored, services, options.probeTimeoutMs);
    if (!isFinal(run.status)) {
      throw new AppError(
        'JOB_RUN_NOT_FINISHED',
        `Job run '${run.job_run_id}' is ${run.status}; its report is available when it has ended.`,
      );
    }
    return reply(
      200,
      Readable.from(writeRunCsv(services.runsStore, run, { isNamed: mayNameDocuments(run, user), exact: query.exact })),
      {
        'Content-Disposition': `attachment; filename="${run.job_run_id}.csv"`,
        'Cache-Control': 'no-store',
      },
    );
  },
});

export const getRunEvents = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/events',
  operationId: 'watchJobRun',
  summary: 'Live progress of a run, as server-sent events.',
  description:
    'The events `progress` (sent immediately, then on every change) and `end` (the run has finished and the stream ends) contain the whole state as JSON of the schema RunEvent. A stream lasts at most 15 minutes, and ends when the server stops, your login ends or you may no longer see the run; reconnect to continue.',
  params: JobRunId,
  replies: { 200: Events },
  errors: ['JOB_RUN_NOT_FOUND'],
  handler: async ({ params, ...context }) => {
    const run = await read(runPolicy, params.job_run_id, context);
    return reply(200, Readable.from(streamRunEvents(run.job_run_id, context)), {
      ...streamHeaders,
      'Content-Type': 'text/event-stream; charset=utf-8',
    });
  },
});
