import type {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyPage,
  ApiKeyReply,
  ServiceAccountCreate,
  ServiceAccountPage,
  ServiceAccountReply,
} from '../model/login/wire-keys';
import type { KnownNames } from '../model/login/wire-names';
import type { SessionPage } from '../model/login/wire-sessions';
import type { Call } from './http';

/**
 * API keys, sessions and service accounts. API keys serve as the `token` of a client; administrators create service
 * accounts for programs.
 */
export interface ApiKeyMethods {
  apiKeys: {
    /** The reply contains the key, which is never shown again. */
    create(key: ApiKeyCreate): Promise<ApiKeyCreated>;
    get(keyId: string): Promise<ApiKeyReply>;
    list(query?: { limit?: number; offset?: number; owner?: string }): Promise<ApiKeyPage>;
    /** Revokes the key at once. */
    remove(keyId: string): Promise<void>;
  };
  sessions: {
    /** Your own sessions, for administrators everybody's; the most recently used first. */
    list(query?: { limit?: number; offset?: number; username?: string }): Promise<SessionPage>;
    /** Its token is refused from now on. */
    remove(sessionId: string): Promise<void>;
  };
  names: {
    /** Users and groups whose names begin with `text`: for administrators from the directory, for others those that they can already see. */
    search(query?: { text?: string; kind?: 'user' | 'group'; limit?: number }): Promise<KnownNames>;
  };
  serviceAccounts: {
    create(account: ServiceAccountCreate): Promise<ServiceAccountReply>;
    get(name: string): Promise<ServiceAccountReply>;
    list(query?: { limit?: number; offset?: number }): Promise<ServiceAccountPage>;
    /** Also revokes its keys. */
    remove(name: string): Promise<void>;
  };
}

/** Implements these methods over `send`. */
export function createApiKeyMethods(send: <T>(call: Call) => Promise<T>): ApiKeyMethods {
  const createMethods = (basePath: string) => {
    const buildPath = (id: string) => `${basePath}/${encodeURIComponent(id)}`;
    return {
      create: <T>(body: unknown) => send<T>({ method: 'POST', path: basePath, body }),
      get: <T>(id: string) => send<T>({ method: 'GET', path: buildPath(id) }),
      list: <T>(query?: Call['query']) => send<T>({ method: 'GET', path: basePath, query: { ...query } }),
      remove: (id: string) => send<void>({ method: 'DELETE', path: buildPath(id) }),
    };
  };
  return {
    apiKeys: createMethods('/api/v1/api-keys'),
    sessions: createMethods('/api/v1/sessions'),
    names: { search: (query) => send({ method: 'GET', path: '/api/v1/names', query: { ...query } }) },
    serviceAccounts: createMethods('/api/v1/service-accounts'),
  };
}
