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
 * API keys, sessions and service accounts. API keys serve as the `token` of a client; administrators make service
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
    /** The latest used first: your own, for administrators those of everybody. */
    list(query?: { limit?: number; offset?: number; username?: string }): Promise<SessionPage>;
    /** Its token is refused from now on. */
    remove(sessionId: string): Promise<void>;
  };
  names: {
    /** Users and groups whose names begin with `text`: of the directory for administrators, else those that you see anyway. */
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
  const createMethods = (all: string) => {
    const buildPath = (id: string) => `${all}/${encodeURIComponent(id)}`;
    return {
      create: <T>(body: unknown) => send<T>({ method: 'POST', path: all, body }),
      get: <T>(id: string) => send<T>({ method: 'GET', path: buildPath(id) }),
      list: <T>(query?: Call['query']) => send<T>({ method: 'GET', path: all, query: { ...query } }),
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
