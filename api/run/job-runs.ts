import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { maskSecrets } from '../../model/flow/secrets';
import { isFinal, type RunState, runStates } from '../../model/run/run';
import { FlowSnapshot, JobRunAccepted, JobRunCreate, JobRunList, JobRunReply } from '../../model/run/wire';
import { RunDocumentPage, type RunDocumentReply } from '../../model/run/wire-documents';
import { type RunQuery, runSortFields } from '../../services/run/facts';
import type { RunDocument, RunRecord } from '../../services/run/run-record';
import { buildSamplePrefix } from '../../services/run/sample-services';
import { requireNoParameters, computeShare } from '../../services/run/sharing';
import { startRun } from '../../services/run/start-run';
import { getWorkflowId } from '../../services/run/workflow-id';
import { buildPageLinks, paging } from '../http/page';
import { authorize, flowPolicy, may, read, type RequestContext, requireMay, runPolicy } from '../http/policies';
import { route } from '../http/route';
import { listBatches, readRunLogs } from './logs';
import { anonymizeDocument, mayNameDocuments, omitNames } from './names';
import { findOpenable } from './openable';
import { buildProgress, addLiveTotals } from './progress';
import { toRunItem, toRunReply } from './reply';
import { findIdempotencyKey, readRunRequest, toStartedReply } from './request';
import { cancelRun, findSettledRun } from './state';
import { awaitEnd } from './watch';

const JobRunId = Type.Object({ job_run_id: Type.String({ format: 'uuid' }) });

export const createJobRun = route({
  method: 'POST',
  path: '/api/v1/job_runs',
  scope: 'run',
  summary: 'Starts a run of a flow.',
  description:
    'The flow is validated first; an invalid one never starts. Runs by those who may change the flow share its job, whose id is the flow id; the run of anybody else has a separate job and takes no configuration. With the header `Idempotency-Key` (1 to 255 characters of your choice) a request can be repeated: the same key of the same user returns the first run.',
  isIdempotent: true,
  body: JobRunCreate,
  replies: { 201: JobRunAccepted },
  errors: ['FLOW_NOT_FOUND', 'FORBIDDEN', 'FLOW_VALIDATION_FAILED', 'CONFLICT', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ body, header, ...context }) => {
    const { user, services, options } = context;
    const { flowId, overrides, metadata, warnings } = readRunRequest(body);
    const flow = await read(flowPolicy, flowId, context);
    const idempotencyKey = findIdempotencyKey(header);
    await requireMay(flowPolicy, 'run', flow, context);
    const mayChange = await may(flowPolicy, 'change', flow, context);
    if (!mayChange) requireNoParameters(flow.flow_name, overrides);
    const share = computeShare(flow, user, { mayChange, roles: options });
    const { sample } = body;
    const request = { flow, owner: user.username, ...share, overrides, metadata, idempotencyKey, sample };
    return toStartedReply(await startRun(services, request), warnings);
  },
});

export const listJobRuns = route({
  method: 'GET',
  path: '/api/v1/job_runs',
  summary: 'Your job runs and those of your projects, newest first. Administrators get all job runs.',
  query: Type.Object({
    ...paging,
    job_id: Type.Optional(Type.String({ format: 'uuid' })),
    flow_id: Type.Optional(Type.String({ format: 'uuid' })),
    project_id: Type.Optional(Type.String({ format: 'uuid' })),
    status: Type.Optional(
      Type.String({
        maxLength: 300,
        description: 'A state, or several separated by commas; letter case and underscores are ignored.',
      }),
    ),
    flow_name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Part of the name of the flow, in any letter case.' }),
    ),
    sort: Type.Optional(
      Type.String({
        pattern: `^-?(${runSortFields.join('|')})$`,
        description: `One of ${runSortFields.join(', ')}; with \`-\` in front in descending order. Default: -created_at.`,
      }),
    ),
    owner: Type.Optional(
      Type.String({ maxLength: 255, description: 'Owner of the runs: yourself, or another member of your projects.' }),
    ),
    created_from: Type.Optional(Type.String({ format: 'date-time', description: 'Created at this time or later.' })),
    is_sample: Type.Optional(Type.Boolean({ description: 'Only sample runs, or none.' })),
    is_waiting: Type.Optional(Type.Boolean({ description: 'Only runs that wait for an unavailable server, or none.' })),
    created_to: Type.Optional(Type.String({ format: 'date-time', description: 'Created before this time.' })),
  }),
  replies: { 200: JobRunList },
  handler: async ({ query, user, services, options, url }) => {
    const { limit = 100, offset = 0, job_id: jobId, flow_id: flowId, project_id: projectId, owner } = query;
    const { items, total } = await services.runsStore.list(user, {
      limit,
      offset,
      everyone: isAdmin(user, options.adminGroups),
      projectIds: await services.projects.listIds(user),
      owner,
      jobId,
      flowId,
      projectId,
      statuses: query.status?.split(',').map(parseState),
      flowName: query.flow_name,
      sort: parseSort(query.sort),
      createdFrom: toIsoTime(query.created_from),
      createdTo: toIsoTime(query.created_to),
      isSample: query.is_sample,
      isWaiting: query.is_waiting,
    });
    const links = buildPageLinks(url, { limit, offset, total });
    return {
      list: items.map((run) => toRunItem(omitNames(run, user))),
      count: items.length,
      total,
      limit,
      offset,
      ...links,
    };
  },
});

export const getJobRun = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}',
  summary: 'State, progress and counts of a run.',
  description:
    'While the stored state is not final, Temporal is asked, so that a run whose workflow was terminated shows as CRASHED. Members of the project of the run see no names of documents and no metadata.',
  params: JobRunId,
  query: Type.Object({
    include_logs: Type.Optional(
      Type.Boolean({ default: false, description: 'Include the reports of the operators as lines of text.' }),
    ),
    include_batches: Type.Optional(
      Type.Boolean({ default: false, description: 'Include the reports of the operators per part, at most 1,000.' }),
    ),
  }),
  replies: { 200: JobRunReply },
  errors: ['JOB_RUN_NOT_FOUND'],
  handler: async ({ params, query, ...context }) => {
    const { user, services, options } = context;
    const stored = await read(runPolicy, params.job_run_id, context);
    const { run: settled, isUnknown } = await findSettledRun(stored, services, options.probeTimeoutMs);
    const { runsStore } = services;
    const stats = await runsStore.readOperatorStats(settled.job_run_id);
    const live = addLiveTotals(settled, stats, await runsStore.countSettled(settled.job_run_id));
    const mayReadDocuments = await may(runPolicy, 'readDocuments', settled, context);
    const run = omitNames(mayReadDocuments ? live : { ...live, metadata: {} }, user);
    const temporalUi = `${options.temporalUiAddress}/namespaces/${encodeURIComponent(options.temporalNamespace)}/workflows/${encodeURIComponent(getWorkflowId(run))}`;
    const notes = isUnknown ? ['Temporal does not answer; this is the last state that was stored.'] : [];
    return toRunReply({ ...run, warnings: [...run.warnings, ...notes] }, stats, {
      temporalUi,
      progress: buildProgress(run, stats, services.clock()),
      ...(query.include_logs ? { logs: await readRunLogs(runsStore, run, mayNameDocuments(run, user)) } : {}),
      ...(query.include_batches ? { batches: await listBatches(runsStore, run.job_run_id) } : {}),
    });
  },
});

export const cancelJobRun = route({
  method: 'POST',
  path: '/api/v1/job_runs/{job_run_id}/cancel',
  scope: 'run',
  summary: 'Cancels a run. It is CANCELED within seconds.',
  params: JobRunId,
  replies: { 202: JobRunAccepted },
  errors: ['JOB_RUN_NOT_FOUND', 'FORBIDDEN', 'JOB_RUN_INVALID_STATE', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params, ...context }) => {
    const { job_run_id, status } = await cancelOne(params.job_run_id, context);
    return { job_run_id, status, message: 'Job run cancellation requested successfully' };
  },
});

export const deleteJobRun = route({
  method: 'DELETE',
  path: '/api/v1/job_runs/{job_run_id}',
  summary: 'Removes the record of a run, its reports and its tables. Indexed documents are kept.',
  params: JobRunId,
  query: Type.Object({
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Cancel an active run first and wait until it has ended.' }),
    ),
  }),
  replies: { 204: Type.Void() },
  errors: ['JOB_RUN_NOT_FOUND', 'FORBIDDEN', 'JOB_RUN_INVALID_STATE', 'STORAGE_ERROR', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: ({ params, query, ...context }) => deleteOne(params.job_run_id, query.force ?? false, context),
});

export const getFlowDefinition = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/flow_definition',
  summary: 'The flow of a run as it was when the run was created, and its execution plan.',
  params: JobRunId,
  replies: { 200: FlowSnapshot },
  errors: ['JOB_RUN_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params, ...context }) => {
    const { job_run_id, snapshot } = await authorize(runPolicy, 'readPlan', params.job_run_id, context);
    return { job_run_id, flow: maskSecrets(snapshot.flow), plan: { ...snapshot.plan }, plan_hash: snapshot.plan_hash };
  },
});

export const listRunDocuments = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/documents',
  summary: 'The documents of a run that failed or were skipped, each with code and reason.',
  description: 'For the owner of the run, who sees names and reasons, and for administrators, who see codes.',
  params: JobRunId,
  query: Type.Object({
    ...paging,
    outcome: Type.Optional(Type.Union([Type.Literal('failed'), Type.Literal('skipped')])),
  }),
  replies: { 200: RunDocumentPage },
  errors: ['JOB_RUN_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params, query, ...context }) => {
    const { user, services } = context;
    const run = await authorize(runPolicy, 'readDocuments', params.job_run_id, context);
    const { limit = 100, offset = 0, outcome } = query;
    const { items, total } = await services.runsStore.listDocuments(run.job_run_id, { limit, offset, outcome });
    const documents = mayNameDocuments(run, user)
      ? await linkFailures(run, items, context)
      : items.map(anonymizeDocument);
    return { documents, total, limit, offset };
  },
});

/** Adds the ids of the failed documents that the user may open. */
async function linkFailures(
  { job_id: jobId }: RunRecord,
  documents: readonly RunDocument[],
  context: RequestContext,
): Promise<RunDocumentReply[]> {
  const failed = documents.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
  const ids = await findOpenable(jobId, failed, context);
  return documents.map((document) => {
    const failedId = document.outcome === 'failed' ? ids.get(document.id) : undefined;
    return failedId === undefined ? document : { ...document, failed_id: failedId };
  });
}

/** Cancels a run in progress. Returns its record after that. */
export async function cancelOne(runId: string, context: RequestContext): Promise<RunRecord> {
  const stored = await authorize(runPolicy, 'control', runId, context);
  const { run } = await findSettledRun(stored, context.services, context.options.probeTimeoutMs);
  if (isFinal(run.status)) throw createStateError(run.job_run_id, `is ${run.status} and cannot be cancelled`);
  return cancelRun(run, context);
}

/** Removes a run with all its data. `force` cancels a run in progress and waits until it has ended. */
export async function deleteOne(
  runId: string,
  force: boolean,
  context: RequestContext & { signal: AbortSignal },
): Promise<void> {
  const { services, options, signal } = context;
  const stored = await authorize(runPolicy, 'remove', runId, context);
  const { run } = await findSettledRun(stored, services, options.probeTimeoutMs);
  if (!isFinal(run.status)) {
    if (!force)
      throw createStateError(run.job_run_id, `is ${run.status}; cancel it first, or delete it with force=true`);
    await cancelRun(run, context);
    await awaitEnd(run, context, signal);
  }
  await services.tables.removeRun(run.job_run_id);
  if (run.sample) await services.keptDocuments.removePrefix(buildSamplePrefix(run.job_run_id));
  await services.runsStore.remove(run.job_run_id);
}

/** Creates a JOB_RUN_INVALID_STATE error: the state of the run does not allow the operation. */
export function createStateError(runId: string, problem: string): AppError {
  return new AppError('JOB_RUN_INVALID_STATE', `Job run '${runId}' ${problem}.`);
}

function parseState(text: string): RunState {
  const toPlainText = (state: string) => state.replaceAll(/[_\s-]/g, '').toUpperCase();
  const runState = runStates.find((state) => toPlainText(state) === toPlainText(text));
  if (runState) return runState;
  throw new AppError(
    'VALIDATION_ERROR',
    `Parameter 'status' is '${text}'; it must be one of ${runStates.join(', ')}.`,
    {
      target: { type: 'parameter', name: 'status' },
    },
  );
}

function parseSort(text: string | undefined): RunQuery['sort'] {
  const field = runSortFields.find((runSortField) => runSortField === text?.replace('-', ''));
  return field && { field, descending: text?.startsWith('-') === true };
}

/** Times are compared as strings, so they must have the same form as stored times. */
function toIsoTime(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Date(text).toISOString();
}
