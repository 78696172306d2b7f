import type { ConnectionCreate, ConnectionPage, ConnectionPatch, ConnectionReply } from '../model/connection/wire';
import type { ConnectionCheckReply } from '../model/connection/wire-check';
import type { Call } from './http';

/** Connections: secrets that flows refer to as `${connection:NAME}`. Replies never contain a secret. */
export interface ConnectionMethods {
  connections: {
    create(connection: ConnectionCreate): Promise<ConnectionReply>;
    get(connectionId: string): Promise<ConnectionReply>;
    list(query?: { limit?: number; offset?: number }): Promise<ConnectionPage>;
    /** Changing the hosts without sending a secret deletes the stored one. */
    patch(connectionId: string, change: ConnectionPatch): Promise<ConnectionReply>;
    remove(connectionId: string): Promise<void>;
    /** Tests its secret, its hosts, and the sources in your flows that use it. */
    check(connectionId: string): Promise<ConnectionCheckReply>;
  };
}

/** Implements these methods over `send`. */
export function createConnectionMethods(send: <T>(call: Call) => Promise<T>): ConnectionMethods {
  const all = '/api/v1/connections';
  const buildPath = (id: string) => `${all}/${encodeURIComponent(id)}`;
  return {
    connections: {
      create: (body) => send({ method: 'POST', path: all, body }),
      get: (id) => send({ method: 'GET', path: buildPath(id) }),
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      patch: (id, body) => send({ method: 'PATCH', path: buildPath(id), body }),
      remove: (id) => send({ method: 'DELETE', path: buildPath(id) }),
      check: (id) => send({ method: 'POST', path: `${buildPath(id)}/check` }),
    },
  };
}
