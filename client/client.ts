import type { FlowDefinition } from '../model/flow';
import type { TokenReply, UserInfo } from '../model/wire/auth';
import type { DocumentReply, SearchReply, SearchRequestBody } from '../model/wire/documents';
import type { FlowCreate, FlowPage, FlowReply, ValidationReply } from '../model/wire/flows';
import type {
  FlowSnapshot,
  JobRunAccepted,
  JobRunCreate,
  JobRunList,
  JobRunReply,
  RunDocumentPage,
} from '../model/wire/job-runs';
import type { OperatorCatalogue } from '../model/wire/operators';
import { type ClientOptions, createHttp } from './http';

/** A page of a list. */
export interface Paging {
  limit?: number;
  offset?: number;
}

/** The api, typed. Every method rejects with `ApiError`, which carries code, status and trace id. */
export interface Client {
  login(username: string, password: string): Promise<TokenReply>;
  me(): Promise<UserInfo>;
  flows: {
    create(flow: FlowCreate): Promise<FlowReply>;
    get(flowId: string): Promise<FlowReply>;
    list(query?: Paging & { name?: string; tags?: readonly string[] }): Promise<FlowPage>;
    validate(flow: FlowDefinition): Promise<ValidationReply>;
  };
  jobRuns: {
    create(request: JobRunCreate): Promise<JobRunAccepted>;
    get(runId: string, signal?: AbortSignal): Promise<JobRunReply>;
    list(query?: Paging & { job_id?: string; flow_id?: string; status?: string }): Promise<JobRunList>;
    cancel(runId: string): Promise<JobRunAccepted>;
    remove(runId: string, options?: { force?: boolean }): Promise<void>;
    flowDefinition(runId: string): Promise<FlowSnapshot>;
    documents(runId: string, query?: Paging & { outcome?: 'failed' | 'skipped' }): Promise<RunDocumentPage>;
  };
  operators(): Promise<OperatorCatalogue>;
  documents: {
    get(documentId: string): Promise<DocumentReply>;
    search(request?: SearchRequestBody): Promise<SearchReply>;
  };
}

const api = '/api/v1';
const runs = `${api}/job_runs`;
const part = encodeURIComponent;

/** A client of the api at `baseUrl`. Keeps no state; a new token means a new client. */
export function createClient(options: ClientOptions): Client {
  const send = createHttp(options);
  return {
    login: (username, password) => send({ method: 'POST', path: '/auth/login', body: { username, password } }),
    me: () => send({ method: 'GET', path: '/auth/me' }),
    flows: {
      create: (flow) => send({ method: 'POST', path: `${api}/flows`, body: flow }),
      get: (flowId) => send({ method: 'GET', path: `${api}/flows/${part(flowId)}` }),
      list: (query) => send({ method: 'GET', path: `${api}/flows`, query: { ...query } }),
      validate: (flow) => send({ method: 'POST', path: `${api}/validation/validate_flow`, body: flow }),
    },
    jobRuns: {
      create: (request) => send({ method: 'POST', path: runs, body: request }),
      get: (runId, signal) => send({ method: 'GET', path: `${runs}/${part(runId)}`, signal }),
      list: (query) => send({ method: 'GET', path: runs, query: { ...query } }),
      cancel: (runId) => send({ method: 'POST', path: `${runs}/${part(runId)}/cancel` }),
      remove: (runId, query) => send({ method: 'DELETE', path: `${runs}/${part(runId)}`, query: { ...query } }),
      flowDefinition: (runId) => send({ method: 'GET', path: `${runs}/${part(runId)}/flow_definition` }),
      documents: (runId, query) =>
        send({ method: 'GET', path: `${runs}/${part(runId)}/documents`, query: { ...query } }),
    },
    operators: () => send({ method: 'GET', path: `${api}/operators/metadata` }),
    documents: {
      get: (documentId) => send({ method: 'GET', path: `${api}/documents/${part(documentId)}` }),
      search: (request = {}) => send({ method: 'POST', path: `${api}/documents/search`, body: request }),
    },
  };
}
