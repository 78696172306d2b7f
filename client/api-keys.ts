import type {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyPage,
  ApiKeyReply,
  ServiceAccountCreate,
  ServiceAccountPage,
  ServiceAccountReply,
} from '../model/login/wire-keys';
import type { Call } from './http';

/** API keys, which serve as the `token` of a client, and service accounts, which administrators make for programs. */
export interface ApiKeyMethods {
  apiKeys: {
    /** The reply has the key, which is shown only then. */
    create(key: ApiKeyCreate): Promise<ApiKeyCreated>;
    get(keyId: string): Promise<ApiKeyReply>;
    list(query?: { limit?: number; offset?: number; owner?: string }): Promise<ApiKeyPage>;
    /** Revokes the key at once. */
    remove(keyId: string): Promise<void>;
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
  const methods = (all: string) => {
    const one = (id: string) => `${all}/${encodeURIComponent(id)}`;
    return {
      create: <T>(body: unknown) => send<T>({ method: 'POST', path: all, body }),
      get: <T>(id: string) => send<T>({ method: 'GET', path: one(id) }),
      list: <T>(query?: Call['query']) => send<T>({ method: 'GET', path: all, query: { ...query } }),
      remove: (id: string) => send<void>({ method: 'DELETE', path: one(id) }),
    };
  };
  return { apiKeys: methods('/api/v1/api-keys'), serviceAccounts: methods('/api/v1/service-accounts') };
}
