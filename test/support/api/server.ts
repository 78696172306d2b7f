import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from '@sinclair/typebox';
import pino from 'pino';
import { Registry } from 'prom-client';
import { createApp } from '../../../api/app';
import { createStatusSockets } from '../../../api/conversion/status-socket';
import { createHttpServer, listen } from '../../../api/http/listen';
import { type Route } from '../../../api/http/route';
import { createLoginLimit } from '../../../api/login/login-limit';
import { routes } from '../../../api/routes';
import { type ApiOptions, type ApiServices, defaultApiOptions } from '../../../api/services';
import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import type { OperatorDefinition } from '../../../model/flow/operator';
import { isFinal } from '../../../model/run/run';
import { listProblems } from '../../../model/validate';
import { ErrorReply } from '../../../model/wire-errors';
import type { FlowRecord, ProjectRecord } from '../../../services/flow/ports';
import type { FlowScheduleState } from '../../../services/flow/schedules';
import { createTokens } from '../../../services/login/tokens';
import type { RunResult } from '../../../services/run/facts';
import type { FailedDocument } from '../../../services/run/failures';
import type { RunDocument, RunRecord, RunsStore } from '../../../services/run/run-record';
import type { Runs } from '../../../services/run/runs';
import { memoryAudit, memoryConnections } from './connection-services';
import { memoryConversion } from './conversion-services';
import { memoryDocumentSets } from './document-set-services';
import { memoryFailures } from './failure-services';
import { memoryGraphs } from './graph-services';
import { memoryIdentities } from './identity-services';
import { memoryKept } from './kept-documents';
import { memoryKeys } from './key-services';
import { memoryLibraryFiles } from './library-services';
import { memoryLogins } from './login-services';
import { memoryHoldings, memoryPages } from './page-services';
import { memoryIndexes, memoryRemovals } from './removal-services';
import { memoryFlowRuns, memoryFlows, memoryProjects } from './resource-services';
import { memoryReviews } from './review-services';
import { memoryEngine } from './run-engine';
import { memorySchedules } from './schedule-services';
import { memorySearches } from './search-services';
import { memoryStepRows } from './step-rows';
import { memoryStorageUsage } from './storage-services';
import { memoryWebhooks } from './webhook-services';

export const secret = 'a secret of at least thirty-two characters';
export const alice: User = { username: 'alice', email: 'alice@example.org', full_name: 'Alice A', groups: ['staff'] };
export const bob: User = { username: 'bob', email: 'bob@example.org', full_name: 'Bob B', groups: [] };
export const carol: User = { username: 'carol', email: '', full_name: '', groups: ['admins'] };

/** Two operators, enough to validate and plan: a source and a sink. */
export const testOperators: readonly OperatorDefinition[] = [
  {
    name: 'ingest_source',
    label: 'Ingest',
    category: 'Ingest',
    scope: 'source',
    queue: 'io',
    needs: [],
    reads: [],
    writes: ['id', 'name', 'size'],
    config: Type.Object({
      provider: Type.String({ description: 'Where from.' }),
      api_key: Type.Optional(Type.String()),
    }),
    summary: 'Lists documents.',
  },
  {
    name: 'vectordb',
    label: 'Index',
    category: 'VectorDB',
    scope: 'row',
    queue: 'io',
    needs: [],
    reads: ['id'],
    writes: [],
    config: Type.Object({
      index_name: Type.String(),
      vector_dimension: Type.Optional(Type.Integer({ minimum: 1, default: 384 })),
      engine: Type.Optional(Type.Union([Type.Literal('lucene'), Type.Literal('faiss')])),
    }),
    summary: 'Indexes documents.',
  },
];

export const sampleFlow = (name: string) => ({
  flow_name: name,
  tags: ['finance'],
  flow: [
    { type: 'ingest_source', name: 'ingest', config: { provider: 'filesystem' } },
    { type: 'vectordb', name: 'index', config: { index_name: 'x' }, depends_on: ['ingest'] },
  ],
});

/** Handles for tests. */
export interface TestState {
  flows: FlowRecord[];
  projects: ProjectRecord[];
  runs: RunRecord[];
  documents: RunDocument[];
  engine: Map<string, Awaited<ReturnType<Runs['readStatus']>>>;
  removed: string[];
  results: RunResult[];
  /** When the operators began. */
  partsStartedAt: string;
  removedTables: string[];
  failures: FailedDocument[];
  schedules: FlowScheduleState[];
}

/** A state in which nothing is stored. */
export function emptyState(): TestState {
  return {
    flows: [],
    projects: [],
    runs: [],
    documents: [],
    engine: new Map(),
    removed: [],
    results: [],
    partsStartedAt: '2026-01-02T03:04:05.000Z',
    removedTables: [],
    failures: [],
    schedules: [],
  };
}

/** In-memory services that behave like the real ones. */
export function memoryServices(state: TestState, adminGroups: readonly string[] = []): ApiServices {
  const clock = () => new Date();
  return {
    operators: testOperators,
    flows: memoryFlows(state, adminGroups),
    projects: memoryProjects(state, adminGroups),
    flowRuns: memoryFlowRuns(state),
    runsStore: memoryRuns(state),
    failures: memoryFailures(state),
    reviews: memoryReviews(),
    runs: memoryEngine(state.engine),
    tables: { removeRun: async (runId) => void state.removedTables.push(runId) },
    stepRows: memoryStepRows(),
    schedules: memorySchedules(state),
    search: {
      get: async (user, id) => (id === `of-${user.username}` ? getDocument(id) : undefined),
      search: async (user, { limit = 10, offset = 0, filters = {} }) => {
        const own = getDocument(`of-${user.username}`);
        const documents = [own].filter(({ id }) => [undefined, id].includes(filters['document_id'] as string));
        return { documents, total: documents.length, limit, offset, has_more: false };
      },
    },
    keptDocuments: memoryKept(),
    pageViews: memoryPages(),
    indexHoldings: memoryHoldings(),
    removals: memoryRemovals(),
    indexes: memoryIndexes(),
    ...memorySearches(),
    ...memoryLogins(clock),
    ...memoryDocumentSets(),
    ...memoryLibraryFiles(),
    models: { list: async () => [] },
    documentClasses: () => [],
    queryCheck: { findProblems: async () => [] },
    inspection: { inspect: async () => ({ errors: [], warnings: [] }) },
    sourceInspector: { check: async () => [] },
    destinationInspector: { check: async () => [] },
    connectionInspector: {
      check: async () => ({
        usable: true,
        secret: { outcome: 'granted', message: 'The secret can be decrypted.' },
        hosts: [],
        sources: [],
        unchecked_sources: 0,
        destinations: [],
        unchecked_destinations: 0,
      }),
    },
    conversion: memoryConversion().services,
    graphs: memoryGraphs().services,
    connections: memoryConnections(),
    ...memoryIdentities(),
    ...memoryKeys(),
    ...memoryWebhooks(),
    audit: memoryAudit(),
    ...memoryStorageUsage(clock),
    directory: {
      login: async (username, password) => {
        if (username === 'alice' && password === 'right') return alice;
        throw new AppError('UNAUTHORIZED', 'Invalid username or password.');
      },
    },
    tokens: createTokens({ secret, expireMinutes: 5 }),
    loginLimit: createLoginLimit(10, clock, 30),
    clock,
    newId: randomUUID,
    probes: { mongo: async () => {}, temporal: async () => {}, search: async () => {} },
  };
}

function getDocument(id: string) {
  const time = '2026-01-02T03:04:05.000Z';
  return { id, content: 'Invoice number: INV-1', title: 'title', metadata: {}, created_at: time, updated_at: time };
}

type ApiRunsStore = Pick<
  RunsStore,
  | 'create'
  | 'get'
  | 'list'
  | 'update'
  | 'remove'
  | 'readOperatorStats'
  | 'listDocuments'
  | 'releaseJob'
  | 'iterateResults'
  | 'countSettled'
  | 'iterateParts'
  | 'findOutcomes'
>;

function memoryRuns(state: TestState): RunsStore {
  const find = (runId: string) => state.runs.find(({ job_run_id }) => job_run_id === runId);
  const store: ApiRunsStore = {
    create: async (run) => {
      const earlier = state.runs.find(
        ({ owner, idempotency_key: key }) => key !== undefined && key === run.idempotency_key && owner === run.owner,
      );
      if (!earlier) state.runs.push(run);
      return earlier ?? run;
    },
    get: async (runId) => find(runId),
    list: async (user, query) => {
      const { limit, offset, everyone, owner, jobId, flowId, statuses, flowName, createdFrom, createdTo } = query;
      const { projectId, projectIds, isWaiting } = query;
      const matchingRuns = state.runs.filter(
        (run) =>
          (everyone || run.owner === user.username || (projectIds?.includes(run.project_id ?? '') ?? false)) &&
          (owner === undefined || run.owner === owner) &&
          (!jobId || run.job_id === jobId) &&
          (!flowId || run.flow_id === flowId) &&
          (!projectId || run.project_id === projectId) &&
          (!statuses || statuses.includes(run.status)) &&
          (!flowName || run.flow_name.toLowerCase().includes(flowName.toLowerCase())) &&
          (!createdFrom || run.created_at >= createdFrom) &&
          (!createdTo || run.created_at < createdTo) &&
          (isWaiting === undefined || (run.waiting !== undefined) === isWaiting),
      );
      return { items: matchingRuns.slice(offset, offset + limit), total: matchingRuns.length };
    },
    update: async (runId, change) => {
      const run = find(runId);
      if (run && !isFinal(run.status)) state.runs.splice(state.runs.indexOf(run), 1, { ...run, ...change });
      return find(runId);
    },
    remove: async (runId) => {
      state.removed.push(runId);
      state.runs = state.runs.filter(({ job_run_id }) => job_run_id !== runId);
    },
    readOperatorStats: async () => [
      {
        name: 'ingest',
        type: 'ingest_source',
        documents: 3,
        in: 3,
        out: 2,
        failed: 1,
        skipped: 0,
        seconds: 0.25,
        parts: 1,
        metrics: {},
        started_at: '2026-01-02T03:04:05.000Z',
        ended_at: null,
      },
    ],
    listDocuments: async (_runId, { limit, offset, outcome }) => {
      const matchingDocuments = state.documents.filter((document) => !outcome || document.outcome === outcome);
      return { items: matchingDocuments.slice(offset, offset + limit), total: matchingDocuments.length };
    },
    releaseJob: async () => {},
    findOutcomes: async (_runId, ids) =>
      new Map(state.documents.filter(({ id }) => ids.includes(id)).map((document) => [document.id, document])),
    async *iterateResults() {
      for (const result of state.results) yield { ...result, part: 'p00000' };
    },
    countSettled: async () => ({ completed: 0, failed: 0, skipped: 0 }),
    async *iterateParts() {
      const report = { in: 3, out: 2, failed: 1, skipped: 0, seconds: 0.25, documents: 3, pages: 0, metrics: {} };
      const times = { started_at: state.partsStartedAt, ended_at: '2026-01-02T03:04:06.000Z' };
      const failures = [{ id: '1', name: 'a.pdf', code: 'SOURCE_UNREADABLE', message: 'a.pdf cannot be read.' }];
      yield { operator: 'ingest', part: '', report: { ...report, failures, warnings: ['one is odd'] }, ...times };
      yield { operator: 'index', part: 'p00000', ...times, ended_at: null };
    },
  };
  // The api uses only these methods of the store; writes by activities are tested on the real one.
  return store as RunsStore;
}

/** A running api. */
export interface TestApi {
  url: string;
  state: TestState;
  logs: string[];
  server: Server;
  tokenOf(user: User): string;
  /** A request whose JSON reply must fit the schema of its route and status. */
  call(
    method: string,
    path: string,
    init?: { user?: User; body?: unknown; headers?: Record<string, string> },
  ): Promise<{ status: number; body: never; headers: Headers }>;
  close(): Promise<void>;
}

/** Starts the api with in-memory services, some of them replaced. */
export async function startApi(
  replace: Partial<ApiServices> = {},
  options: Partial<ApiOptions> = {},
): Promise<TestApi> {
  const state = emptyState();
  const logs: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logs.push(line) });
  const services = { ...memoryServices(state, options.adminGroups), ...replace };
  const own = { ...defaultApiOptions, registry: new Registry(), logger, ...options };
  const app = createApp(services, own);
  const server = createHttpServer();
  const upgrades = createStatusSockets({ services, options: own });
  const listening = await listen(server, app, { host: '127.0.0.1', port: 0, drainMs: 1_000, lingerMs: 0, upgrades });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const getToken = (user: User) => services.tokens.issue(user);
  return {
    url,
    state,
    logs,
    server,
    tokenOf: getToken,
    close: () => listening.close(),
    call: async (method, path, { user, body, headers } = {}) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(user ? { Authorization: `Bearer ${getToken(user)}` } : {}),
          ...(body === undefined ? {} : { 'Content-Type': isBytes(body) ? octets : 'application/json' }),
          ...headers,
        },
        body: body === undefined || typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body),
        redirect: 'manual',
      });
      const text = await response.text();
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
      const parsed: unknown = isJson ? JSON.parse(text) : text;
      assertFits(method, path, response.status, parsed, isJson);
      return { status: response.status, body: parsed as never, headers: response.headers };
    },
  };
}

const octets = 'application/octet-stream';
const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array;

/** The route that a path belongs to. */
function routeFor(method: string, path: string): Route | undefined {
  const [plain = ''] = path.split('?');
  const fits = (route: Route) =>
    new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain);
  return routes.find((route) => route.method === method && fits(route));
}

function assertFits(method: string, path: string, status: number, body: unknown, isJson: boolean): void {
  const route = routeFor(method, path);
  const schema =
    (route?.replies as Record<number, typeof ErrorReply | undefined> | undefined)?.[status] ??
    (status >= 400 ? ErrorReply : undefined);
  if (!schema && route && !(status === 304 && route.hasEtag))
    throw new Error(`${method} ${path} answered with the undocumented status ${status}: ${JSON.stringify(body)}`);
  if (!schema || !isJson) return;
  const problems = listProblems(schema, structuredClone(body));
  if (problems.length > 0)
    throw new Error(
      `${method} ${path} (${status}) does not fit its schema: ${JSON.stringify(problems)} ${JSON.stringify(body)}`,
    );
}
