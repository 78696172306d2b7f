import type { ElyraFlowCreate, ElyraFlowReply } from '../model/elyra/wire';
import type { FlowDefinition } from '../model/flow/flow';
import type {
  FlowCreate,
  FlowPage,
  FlowPatch,
  FlowReplace,
  FlowReply,
  FlowsDeleted,
  ValidationReply,
} from '../model/flow/wire-flows';
import type { OperatorCatalogue } from '../model/flow/wire-operators';
import type {
  ProjectCreate,
  ProjectFlowPage,
  ProjectPage,
  ProjectPatch,
  ProjectReplace,
  ProjectReply,
} from '../model/flow/wire-projects';
import type { ScheduleCreate, ScheduleList, SchedulePatch, ScheduleReply } from '../model/flow/wire-schedules';
import type { ProviderList, TokenReply, UserInfo } from '../model/login/wire';
import type { RemovalReply } from '../model/removal/wire';
import type {
  FlowSnapshot,
  JobRunAccepted,
  JobRunCreate,
  JobRunList,
  JobRunReply,
  JobRunRerun,
  RunEvent,
} from '../model/run/wire';
import type { RunComparison } from '../model/run/wire-compare';
import type { JobRunControls } from '../model/run/wire-controls';
import type { RunDocumentPage } from '../model/run/wire-documents';
import type { RunLogEntry, RunLogPage } from '../model/run/wire-log';
import type { StepRowPage } from '../model/run/wire-rows';
import { type ApiKeyMethods, createApiKeyMethods } from './api-keys';
import { type BulkMethods, createBulkMethods } from './bulk';
import { type ConnectionMethods, createConnectionMethods } from './connections';
import { type ColumnChoice, type DocumentSetMethods, createDocumentSetMethods } from './document-sets';
import { type DocumentMethods, createDocumentMethods } from './documents';
import { readEvents, readLines } from './events';
import { type FailedDocumentMethods, createFailedDocumentMethods } from './failed-documents';
import { type FlowVersionMethods, createFlowVersionMethods } from './flow-versions';
import { type GraphMethods, createGraphMethods } from './graphs';
import { type Call, type ClientOptions, createBytes, createHttp, createStream } from './http';
import { type IdentityMethods, createIdentityMethods } from './identities';
import { createJudgedQueryMethods, type JudgedQueryMethods } from './judged-queries';
import { type ReviewMethods, createReviewMethods } from './reviews';
import { type SavedSearchMethods, createSavedSearchMethods } from './saved-searches';
import { type ServerMethods, createServerMethods } from './server';
import { type SourceMethods, createSourceMethods } from './sources';
import { type WaitOptions, waitForRun } from './wait';
import { type WebhookMethods, createWebhookMethods } from './webhooks';

/** The page of a list to return. */
export interface Paging {
  limit?: number;
  offset?: number;
}

/** Filter and order of a list of named resources: `sort` names a member, with a leading `-` for descending order. */
export interface ResourceFilters {
  name?: string;
  tags?: readonly string[];
  sort?: string;
}

/** Filter of a list of flows. */
export interface FlowFilters extends ResourceFilters {
  project_id?: string;
  is_elyra?: boolean;
  is_hidden?: boolean;
}

/** Filter of a list of job runs; times are ISO 8601. */
export interface RunFilters {
  job_id?: string;
  flow_id?: string;
  project_id?: string;
  /** One state, or several separated by commas. */
  status?: string;
  /** Part of the name of the flow. */
  flow_name?: string;
  /** A member to sort by, with a leading `-` for descending order. */
  sort?: string;
  owner?: string;
  created_from?: string;
  created_to?: string;
  is_sample?: boolean;
  is_waiting?: boolean;
}

/** Which entries of the log of a run to return: `level` is the lowest, `after` the `next` of a page. */
export interface LogFilters {
  level?: RunLogEntry['level'];
  operator?: string;
  document_id?: string;
  after?: string;
}

/** Additional data to return about a run. */
export interface RunDetails {
  include_logs?: boolean;
  include_batches?: boolean;
}

/** With `ifMatch`, an ETag from `etagOf`, a change fails with PRECONDITION_FAILED if the resource has changed since. */
export interface Conditional {
  ifMatch?: string;
}

/** The typed client of the HTTP API. Every method rejects with `ApiError`, which has the code, status and trace id. */
export interface Client
  extends
    ApiKeyMethods,
    FlowVersionMethods,
    WebhookMethods,
    DocumentMethods,
    DocumentSetMethods,
    GraphMethods,
    BulkMethods,
    ConnectionMethods,
    SourceMethods,
    IdentityMethods,
    SavedSearchMethods,
    JudgedQueryMethods,
    FailedDocumentMethods,
    ReviewMethods,
    ServerMethods {
  login(username: string, password: string): Promise<TokenReply>;
  me(): Promise<UserInfo>;
  /** Revokes the token of this client. */
  logout(): Promise<void>;
  oauth2: {
    providers(): Promise<ProviderList>;
    /** Exchanges the `code` that a login passed to its redirect_after for a token; a code can be used once. */
    exchange(code: string): Promise<TokenReply>;
  };
  flows: {
    create(flow: FlowCreate): Promise<FlowReply>;
    /** In the authoring format, even if the flow was stored in another. */
    get(flowId: string): Promise<FlowReply>;
    list(query?: Paging & FlowFilters): Promise<FlowPage>;
    replace(flowId: string, flow: FlowReplace, options?: Conditional): Promise<FlowReply>;
    /** Expects and returns the format in which the flow is stored. */
    patch(flowId: string, change: FlowPatch, options?: Conditional): Promise<FlowReply | ElyraFlowReply>;
    /**
     * With `force`, active runs are cancelled first. With `with_records`, the runs of the flow and all their results are removed too,
     * and the receipt is returned.
     */
    remove(
      flowId: string,
      options?: Conditional & { force?: boolean; with_records?: boolean },
    ): Promise<RemovalReply | undefined>;
    removeMany(flowIds: readonly string[], options?: { force?: boolean }): Promise<FlowsDeleted>;
    createElyra(flow: ElyraFlowCreate): Promise<ElyraFlowReply>;
    getElyra(flowId: string): Promise<ElyraFlowReply>;
    /** `deep` also contacts the servers and sources named in the flow. */
    validate(flow: FlowDefinition, query?: { deep?: boolean }): Promise<ValidationReply>;
  };
  projects: {
    create(project: ProjectCreate): Promise<ProjectReply>;
    get(projectId: string): Promise<ProjectReply>;
    list(query?: Paging & ResourceFilters): Promise<ProjectPage>;
    replace(projectId: string, project: ProjectReplace, options?: Conditional): Promise<ProjectReply>;
    patch(projectId: string, change: ProjectPatch, options?: Conditional): Promise<ProjectReply>;
    /** Also removes its flows; with `force`, their active runs are cancelled first. */
    remove(projectId: string, options?: Conditional & { force?: boolean }): Promise<void>;
    flows(projectId: string, query?: Paging & Omit<FlowFilters, 'project_id'>): Promise<ProjectFlowPage>;
  };
  jobRuns: {
    /** Using an `idempotencyKey` again returns the first run. */
    create(request: JobRunCreate, options?: { idempotencyKey?: string }): Promise<JobRunAccepted>;
    get(runId: string, signal?: AbortSignal, query?: RunDetails): Promise<JobRunReply>;
    list(query?: Paging & RunFilters): Promise<JobRunList>;
    rerun(runId: string, request?: JobRunRerun, options?: { idempotencyKey?: string }): Promise<JobRunAccepted>;
    /** Resolves with the final state of the run. Reconnects when the connection is lost. */
    waitFor(runId: string, options?: WaitOptions): Promise<JobRunReply>;
    /** CSV text; rejects with JOB_RUN_NOT_FINISHED until the run has ended. */
    report(runId: string): Promise<string>;
    /** Yields each change of the run, the final state last. Ends after it, on `signal`, or when the api closes the stream. */
    events(runId: string, signal?: AbortSignal): AsyncGenerator<RunEvent, void, void>;
    /** What the run did that another run of the same job, the base, did not. */
    compare(runId: string, baseRunId: string, query?: { limit?: number }): Promise<RunComparison>;
    log(runId: string, query?: LogFilters & { limit?: number }): Promise<RunLogPage>;
    /** Yields the log of the run as it grows, until the run has ended or the api closes the stream. */
    followLog(runId: string, query?: LogFilters, signal?: AbortSignal): AsyncGenerator<RunLogEntry, void, void>;
    cancel(runId: string): Promise<JobRunAccepted>;
    controls(runId: string): Promise<JobRunControls>;
    /** Running batches finish; no further batch starts. */
    pause(runId: string): Promise<JobRunControls>;
    resume(runId: string): Promise<JobRunControls>;
    setConcurrency(runId: string, batches: number): Promise<JobRunControls>;
    /** Starts a new run with the failed documents of a finished one. */
    retryFailed(runId: string, options?: { idempotencyKey?: string }): Promise<JobRunAccepted>;
    remove(runId: string, options?: { force?: boolean }): Promise<void>;
    flowDefinition(runId: string): Promise<FlowSnapshot>;
    documents(runId: string, query?: Paging & { outcome?: 'failed' | 'skipped' }): Promise<RunDocumentPage>;
    /** Rows that an operator wrote. The next page begins at `offset` plus the number of rows. */
    rows(runId: string, operator: string, query?: Paging & ColumnChoice): Promise<StepRowPage>;
    exportRows(
      runId: string,
      operator: string,
      query?: ColumnChoice & { format?: 'parquet' | 'csv' | 'jsonl'; exact?: boolean },
      signal?: AbortSignal,
    ): AsyncGenerator<Uint8Array, void, void>;
  };
  schedules: {
    create(flowId: string, schedule: ScheduleCreate): Promise<ScheduleReply>;
    list(flowId: string, query?: Paging): Promise<ScheduleList>;
    get(flowId: string, scheduleId: string): Promise<ScheduleReply>;
    patch(flowId: string, scheduleId: string, change: SchedulePatch): Promise<ScheduleReply>;
    /** Starts a run now. */
    trigger(flowId: string, scheduleId: string): Promise<ScheduleReply>;
    pause(flowId: string, scheduleId: string): Promise<ScheduleReply>;
    resume(flowId: string, scheduleId: string): Promise<ScheduleReply>;
    remove(flowId: string, scheduleId: string): Promise<void>;
  };
  operators(): Promise<OperatorCatalogue>;
}

const api = '/api/v1';
const runs = `${api}/job_runs`;
const encode = encodeURIComponent;

/** A client of the api at `baseUrl`. Stateless: create a new client for a new token. */
export function createClient(options: ClientOptions): Client {
  const send = createHttp(options);
  const stream = createStream(options);
  const bytes = createBytes(options);
  const readText = async (call: Call) => {
    const chunks: string[] = [];
    for await (const chunk of stream(call)) chunks.push(chunk);
    return chunks.join('');
  };
  const flows = `${api}/flows`;
  const buildFlowPath = (flowId: string) => `${flows}/${encode(flowId)}`;
  const buildProjectPath = (projectId: string) => `${api}/projects/${encode(projectId)}`;
  const buildRunPath = (runId: string, rest = '') => `${runs}/${encode(runId)}${rest}`;
  const getRun: Client['jobRuns']['get'] = (runId, signal, query) =>
    send({ method: 'GET', path: buildRunPath(runId), query: { ...query }, signal });
  const runEvents: Client['jobRuns']['events'] = (runId, signal) =>
    readEvents<RunEvent>(stream({ method: 'GET', path: buildRunPath(runId, '/events'), signal }));
  const buildSchedulePath = (flowId: string, rest = '') => `${api}/flows/${encode(flowId)}/schedules${rest}`;
  return {
    login: (username, password) => send({ method: 'POST', path: '/auth/login', body: { username, password } }),
    me: () => send({ method: 'GET', path: '/auth/me' }),
    logout: () => send({ method: 'POST', path: '/auth/logout' }),
    oauth2: {
      providers: () => send({ method: 'GET', path: '/auth/oauth2/providers' }),
      exchange: (code) => send({ method: 'POST', path: '/auth/oauth2/token', body: { code } }),
    },
    flows: {
      create: (body) => send({ method: 'POST', path: flows, body }),
      get: (flowId) => send({ method: 'GET', path: buildFlowPath(flowId), query: { is_elyra: false } }),
      list: (query) => send({ method: 'GET', path: flows, query: { ...query } }),
      replace: (flowId, body, options) =>
        send({ method: 'PUT', path: buildFlowPath(flowId), body, headers: buildMatchHeader(options) }),
      patch: (flowId, body, options) =>
        send({ method: 'PATCH', path: buildFlowPath(flowId), body, headers: buildMatchHeader(options) }),
      remove: (flowId, { ifMatch, ...query } = {}) =>
        send({ method: 'DELETE', path: buildFlowPath(flowId), query, headers: buildMatchHeader({ ifMatch }) }),
      removeMany: (flowIds, query) =>
        send({ method: 'DELETE', path: flows, query: { flow_ids: flowIds.join(','), ...query } }),
      createElyra: (body) => send({ method: 'POST', path: flows, query: { is_elyra: true }, body }),
      getElyra: (flowId) => send({ method: 'GET', path: buildFlowPath(flowId), query: { is_elyra: true } }),
      validate: (body, query) =>
        send({ method: 'POST', path: `${api}/validation/validate_flow`, query: { ...query }, body }),
    },
    projects: {
      create: (body) => send({ method: 'POST', path: `${api}/projects`, body }),
      get: (projectId) => send({ method: 'GET', path: buildProjectPath(projectId) }),
      list: (query) => send({ method: 'GET', path: `${api}/projects`, query: { ...query } }),
      replace: (projectId, body, options) =>
        send({ method: 'PUT', path: buildProjectPath(projectId), body, headers: buildMatchHeader(options) }),
      patch: (projectId, body, options) =>
        send({ method: 'PATCH', path: buildProjectPath(projectId), body, headers: buildMatchHeader(options) }),
      remove: (projectId, { ifMatch, ...query } = {}) =>
        send({ method: 'DELETE', path: buildProjectPath(projectId), query, headers: buildMatchHeader({ ifMatch }) }),
      flows: (projectId, query) =>
        send({ method: 'GET', path: `${buildProjectPath(projectId)}/flows`, query: { ...query } }),
    },
    jobRuns: {
      create: (request, options) =>
        send({ method: 'POST', path: runs, body: request, headers: buildKeyHeader(options) }),
      get: getRun,
      rerun: (runId, request = {}, options) =>
        send({ method: 'POST', path: buildRunPath(runId, '/rerun'), body: request, headers: buildKeyHeader(options) }),
      waitFor: (runId, options = {}) =>
        waitForRun({ get: () => getRun(runId), events: () => runEvents(runId, options.signal) }, options),
      report: (runId) => readText({ method: 'GET', path: buildRunPath(runId, '/report') }),
      events: runEvents,
      compare: (runId, base_run_id, query) =>
        send({ method: 'GET', path: buildRunPath(runId, '/comparison'), query: { base_run_id, ...query } }),
      log: (runId, query) => send({ method: 'GET', path: buildRunPath(runId, '/log'), query: { ...query } }),
      followLog: (runId, query, signal) =>
        readLines<RunLogEntry>(
          stream({ method: 'GET', path: buildRunPath(runId, '/log'), query: { ...query, follow: true }, signal }),
        ),
      list: (query) => send({ method: 'GET', path: runs, query: { ...query } }),
      cancel: (runId) => send({ method: 'POST', path: buildRunPath(runId, '/cancel') }),
      controls: (runId) => send({ method: 'GET', path: buildRunPath(runId, '/controls') }),
      pause: (runId) => send({ method: 'POST', path: buildRunPath(runId, '/pause') }),
      resume: (runId) => send({ method: 'POST', path: buildRunPath(runId, '/resume') }),
      setConcurrency: (runId, batches) =>
        send({
          method: 'PUT',
          path: buildRunPath(runId, '/concurrency'),
          body: { max_concurrent_batches: batches },
        }),
      retryFailed: (runId, options) =>
        send({
          method: 'POST',
          path: buildRunPath(runId, '/rerun'),
          body: { mode: 'failed' },
          headers: buildKeyHeader(options),
        }),
      remove: (runId, query) => send({ method: 'DELETE', path: buildRunPath(runId), query: { ...query } }),
      flowDefinition: (runId) => send({ method: 'GET', path: buildRunPath(runId, '/flow_definition') }),
      documents: (runId, query) =>
        send({ method: 'GET', path: buildRunPath(runId, '/documents'), query: { ...query } }),
      rows: (runId, operator, query) =>
        send({ method: 'GET', path: buildRunPath(runId, '/rows'), query: { operator, ...query } }),
      exportRows: (runId, operator, query, signal) =>
        bytes({ method: 'GET', path: buildRunPath(runId, '/rows/export'), query: { operator, ...query }, signal }),
    },
    schedules: {
      create: (flowId, schedule) => send({ method: 'POST', path: buildSchedulePath(flowId), body: schedule }),
      list: (flowId, query) => send({ method: 'GET', path: buildSchedulePath(flowId), query: { ...query } }),
      get: (flowId, id) => send({ method: 'GET', path: buildSchedulePath(flowId, `/${encode(id)}`) }),
      patch: (flowId, id, body) => send({ method: 'PATCH', path: buildSchedulePath(flowId, `/${encode(id)}`), body }),
      trigger: (flowId, id) => send({ method: 'POST', path: buildSchedulePath(flowId, `/${encode(id)}/trigger`) }),
      pause: (flowId, id) => send({ method: 'POST', path: buildSchedulePath(flowId, `/${encode(id)}/pause`) }),
      resume: (flowId, id) => send({ method: 'POST', path: buildSchedulePath(flowId, `/${encode(id)}/resume`) }),
      remove: (flowId, id) => send({ method: 'DELETE', path: buildSchedulePath(flowId, `/${encode(id)}`) }),
    },
    operators: () => send({ method: 'GET', path: `${api}/operators/metadata` }),
    ...createApiKeyMethods(send),
    ...createFlowVersionMethods(send),
    ...createWebhookMethods(send),
    ...createDocumentMethods(send, bytes, stream),
    ...createDocumentSetMethods(send, bytes),
    ...createBulkMethods(send),
    ...createConnectionMethods(send),
    ...createSourceMethods(send),
    ...createIdentityMethods(send),
    ...createSavedSearchMethods(send),
    ...createJudgedQueryMethods(send),
    ...createFailedDocumentMethods(send, readText, bytes),
    ...createReviewMethods(send, readText),
    ...createGraphMethods(send, bytes),
    ...createServerMethods(send),
  };
}

function buildKeyHeader(options: { idempotencyKey?: string } | undefined): Record<string, string> {
  return options?.idempotencyKey === undefined ? {} : { 'Idempotency-Key': options.idempotencyKey };
}

function buildMatchHeader(options: Conditional | undefined): Record<string, string> {
  return options?.ifMatch === undefined ? {} : { 'If-Match': options.ifMatch };
}
