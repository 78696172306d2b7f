import type { Static } from '@sinclair/typebox';
import type { AuditPage } from '../model/audit/entry';
import type { DocumentClass } from '../model/entity/document-class';
import type { ProviderModels } from '../model/llm/wire';
import type { Overview } from '../model/run/wire-overview';
import type { StorageReport } from '../model/storage/wire';
import type { Call } from './http';

/** Filter of the audit log; times are ISO 8601 with a zone, `action` is an operation such as `POST /api/v1/job_runs`. */
export interface AuditFilters {
  user?: string;
  action?: string;
  /** `OK`, or the code of an error. */
  outcome?: string;
  since?: string;
  until?: string;
}

/** Whether the servers that the api needs can be reached, by name. */
export interface Readiness {
  status: 'ready' | 'not ready';
  checks: Record<string, { ok: boolean; reason?: string; ms: number }>;
}

/** The server and its metadata. */
export interface ServerMethods {
  welcome(): Promise<{ message: string; version: string; addresses: Record<string, string> }>;
  /** Also resolves when a server cannot be reached. */
  ready(): Promise<Readiness>;
  documentClasses(): Promise<DocumentClass[]>;
  /** The models of `localmodel` or `hostedmodel`. */
  models(provider: string, query?: { api_base?: string }): Promise<ProviderModels>;
  /** Storage use by kind of data; for administrators only. */
  storage(): Promise<StorageReport>;
  /** What needs attention, and the totals of the last day's runs. */
  overview(): Promise<Overview>;
  /** The audit log, the latest entry first; for administrators only. */
  audit(query?: AuditFilters & { limit?: number; offset?: number }): Promise<Static<typeof AuditPage>>;
}

/** Implements these methods over `send`. */
export function createServerMethods(send: <T>(call: Call) => Promise<T>): ServerMethods {
  return {
    welcome: () => send({ method: 'GET', path: '/' }),
    ready: () => send({ method: 'GET', path: '/ready', acceptedStatus: 503 }),
    documentClasses: () => send({ method: 'GET', path: '/api/v1/document_classes' }),
    models: (provider, query) =>
      send({ method: 'GET', path: `/api/v1/providers/${encodeURIComponent(provider)}/models`, query: { ...query } }),
    storage: () => send({ method: 'GET', path: '/api/v1/storage' }),
    overview: () => send({ method: 'GET', path: '/api/v1/overview' }),
    audit: (query) => send({ method: 'GET', path: '/api/v1/audit', query: { ...query } }),
  };
}
