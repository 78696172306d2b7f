import { setTimeout as delay } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { Client, JobRunReply, Paging } from '../../client';
import { AppError } from '../../model/errors';
import { isFinal } from '../../model/run/run';
import { uuidPattern } from '../../model/uuid';
import { cut, toDataContent, getNextOffset, definePage } from '../answer';
import { tool, type ToolContext, type WorkState } from '../tool';

const run_id = Type.String({ pattern: uuidPattern, description: 'From start_flow or list_runs.' });
const flow_id = Type.String({ pattern: uuidPattern, description: 'From list_flows.' });
/** Less than the 60 seconds after which common clients give up on a call. */
const maxWaitSeconds = 40;
const pollSeconds = 2;

/** Lists the flows that the caller may see. */
export const listFlows = tool({
  name: 'list_flows',
  title: 'List flows',
  description: 'Pipelines that ingest, convert and index documents. Start one with start_flow.',
  input: Type.Object(
    { name: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name.' })), ...definePage(50, 20) },
    { additionalProperties: false },
  ),
  async run({ name, limit = 20, offset = 0 }, { api }) {
    const { flows, total_count: total } = await api.flows.list({ name, limit, offset });
    return toDataContent({
      flows: flows.map((flow) => ({
        flow_id: flow.flow_id,
        name: 'flow_name' in flow ? flow.flow_name : flow.name,
        description: cut(flow.description ?? '', 500),
        owner: flow.owner,
      })),
      total,
      next_offset: getNextOffset(offset, flows.length, total),
    });
  },
});

/** Starts a run of a flow. */
export const startFlow = tool({
  name: 'start_flow',
  title: 'Start a flow',
  description:
    'Starts a run of a flow as it is stored and returns at once. Follow it with get_run. Calling again with the same idempotency_key returns the first run.',
  effect: 'write',
  isOpenWorld: true,
  input: Type.Object(
    {
      flow_id,
      idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
  async run({ flow_id: id, idempotency_key: idempotencyKey }, { api }) {
    const { job_run_id, status, warnings } = await api.jobRuns.create({ flow_id: id }, { idempotencyKey });
    const next = 'Call get_run with this run_id and wait_seconds.';
    return toDataContent({ run_id: job_run_id, status, next, ...(warnings ? { warnings } : {}) });
  },
  work: {
    async start({ flow_id: id, idempotency_key: idempotencyKey }, { api }) {
      return (await api.jobRuns.create({ flow_id: id }, { idempotencyKey })).job_run_id;
    },
    async read(id, { api, signal }) {
      return describeState(await api.jobRuns.get(id, signal));
    },
    async result(id, { api, signal, progress }) {
      const run = await api.jobRuns.waitFor(id, {
        signal,
        onChange: ({ status, progress: { percent } }) => progress(percent ?? 0, 100, `The run is ${status}.`),
      });
      const { status, message } = describeState(run);
      if (status !== 'completed') throw new AppError('FLOW_EXECUTION_FAILED', message);
      return showRun(run);
    },
    async cancel(id, { api }) {
      await api.jobRuns.cancel(id);
    },
  },
});

/** Lists runs, newest first. */
export const listRuns = tool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Runs of flows with state and counts, newest first.',
  input: Type.Object(
    {
      flow_id: Type.Optional(flow_id),
      status: Type.Optional(Type.String({ maxLength: 40, description: 'A state such as Running, Failed, Completed.' })),
      ...definePage(50, 10),
    },
    { additionalProperties: false },
  ),
  async run({ flow_id: id, status, limit = 10, offset = 0 }, { api }) {
    const { list, total } = await api.jobRuns.list({ flow_id: id, status, limit, offset });
    return toDataContent({
      runs: list.map((item) => ({
        run_id: item.job_run_id,
        flow_id: item.flow_id,
        flow: item.flow_name,
        status: item.status,
        started_at: item.started_at,
        ended_at: item.ended_at,
        documents: item.total_docs,
        completed: item.completed_docs,
        failed: item.failed_docs,
      })),
      total,
      next_offset: getNextOffset(offset, list.length, total),
    });
  },
});

/** State and progress of one run. */
export const getRun = tool({
  name: 'get_run',
  title: 'State of a run',
  description:
    'State, progress, counts by operator, and what the run waits for. With wait_seconds, waits until the run has ended, or for that time. Call list_failed_documents with the run_id for what failed.',
  input: Type.Object(
    { run_id, wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: maxWaitSeconds, default: 0 })) },
    { additionalProperties: false },
  ),
  async run({ run_id: id, wait_seconds: seconds = 0 }, context) {
    return showRun(await waitForEnd(id, seconds, context));
  },
});

/** The run when it has ended, or as it is after `seconds`. */
async function waitForEnd(id: string, seconds: number, { api, signal, progress }: ToolContext): Promise<JobRunReply> {
  for (let waited = 0; ; waited += pollSeconds) {
    const run = await api.jobRuns.get(id, signal);
    if (isFinal(run.status) || waited >= seconds) return run;
    progress(run.progress.percent ?? 0, 100, `The run is ${run.status}.`);
    await delay(Math.min(pollSeconds, seconds - waited) * 1_000, undefined, { signal });
  }
}

function describeState({ status, message, progress: { percent } }: JobRunReply): WorkState {
  if (status === 'CANCELED' || status === 'CANCELING')
    return { status: 'cancelled', message: 'The run was cancelled.' };
  if (!isFinal(status))
    return { status: 'working', message: `The run is ${status}${percent === null ? '' : `, ${percent} % done`}.` };
  const isFailed = status === 'FAILED' || status === 'CRASHED';
  return { status: isFailed ? 'failed' : 'completed', message: `${status}: ${message}` };
}

function showRun(run: JobRunReply) {
  return toDataContent({
    run_id: run.job_run_id,
    flow_id: run.flow_id,
    flow: run.flow_name,
    status: run.status,
    message: cut(run.message, 1_000),
    progress: run.progress,
    totals: run.totals,
    ...(run.waiting ? { waiting: run.waiting } : {}),
    operators: run.operators.map(({ name, type, in: rowsIn, out, failed, skipped, seconds }) => ({
      name,
      type,
      in: rowsIn,
      out,
      failed,
      skipped,
      seconds,
    })),
    warnings: run.warnings.slice(0, 20).map((warning) => cut(warning, 300)),
  });
}

/** Cancels a run. */
export const cancelRun = tool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Stops a run that is not finished. What it has stored stays.',
  effect: 'destroy',
  input: Type.Object({ run_id }, { additionalProperties: false }),
  async run({ run_id: id }, { api }) {
    const { job_run_id, status, message } = await api.jobRuns.cancel(id);
    return toDataContent({ run_id: job_run_id, status, message });
  },
});

/** Documents whose last attempt failed, over all runs. */
export const listFailedDocuments = tool({
  name: 'list_failed_documents',
  title: 'List failed documents',
  description:
    'Documents whose last attempt failed, over all runs the user may see, with code and reason. With run_id, those that failed in this run; the other conditions do not apply then.',
  input: Type.Object(
    {
      run_id: Type.Optional(run_id),
      code: Type.Optional(Type.String({ maxLength: 100, description: 'Only this error code.' })),
      operator: Type.Optional(Type.String({ maxLength: 255 })),
      flow_id: Type.Optional(flow_id),
      ...definePage(50, 20),
    },
    { additionalProperties: false },
  ),
  async run({ run_id: runId, code, operator, flow_id: flow, limit = 20, offset = 0 }, { api }) {
    if (runId !== undefined) return listFailuresOfRun(api, runId, { limit, offset });
    const filters = { code, operator, flow_id: flow };
    const [{ documents, total }, { groups }] = await Promise.all([
      api.failedDocuments.list({ ...filters, limit, offset }),
      api.failedDocuments.groups('code', filters),
    ]);
    return toDataContent({
      by_code: groups.slice(0, 20).map(({ key, count }) => ({ code: key, count })),
      documents: documents.map((document) => ({
        document_id: document.document_id,
        name: document.name,
        flow: document.flow_name,
        run_id: document.job_run_id,
        operator: document.operator,
        code: document.code,
        message: cut(document.message, 300),
        failed_at: document.failed_at,
      })),
      total,
      next_offset: getNextOffset(offset, documents.length, total),
    });
  },
});

/** Every failed document of one run, also those with which a later run succeeded. */
async function listFailuresOfRun(api: Client, runId: string, { limit, offset }: Required<Paging>) {
  const { documents, total } = await api.jobRuns.documents(runId, { outcome: 'failed', limit, offset });
  return toDataContent({
    documents: documents.map(({ id, name, operator, code, message }) => ({
      document_id: id,
      name,
      operator,
      code,
      message: cut(message, 300),
    })),
    total,
    next_offset: getNextOffset(offset, documents.length, total),
  });
}
