import type { Static } from '@sinclair/typebox';
import type {
  IdentityMapInput,
  IdentityMapPage,
  IdentityMapReply,
  IdentityPage,
  IdentityState,
} from '../model/identity/map';
import type { AccessSyncReply } from '../model/identity/wire-sync';
import type { Call } from './http';

/** Maps between accounts of sources and logins; for administrators. */
export interface IdentityMethods {
  identityMaps: {
    list(query?: { limit?: number; offset?: number }): Promise<Static<typeof IdentityMapPage>>;
    get(mapId: string): Promise<IdentityMapReply>;
    /** Creates or replaces a map, and synchronizes it. */
    put(mapId: string, map: IdentityMapInput): Promise<IdentityMapReply>;
    remove(mapId: string): Promise<void>;
    /** Accounts with their logins. */
    identities(
      mapId: string,
      query?: { state?: IdentityState; limit?: number; offset?: number },
    ): Promise<Static<typeof IdentityPage>>;
    sync(mapId: string): Promise<IdentityMapReply>;
  };
  accessSync: {
    /** How old the access lists of a flow's documents are. */
    get(flowId: string): Promise<AccessSyncReply>;
    /** Starts reading them now, without a run; returns the state before. */
    start(flowId: string): Promise<AccessSyncReply>;
  };
}

/** Implements these methods over `send`. */
export function createIdentityMethods(send: <T>(call: Call) => Promise<T>): IdentityMethods {
  const all = '/api/v1/identity-maps';
  const buildAccessPath = (flowId: string) => `/api/v1/flows/${encodeURIComponent(flowId)}/access-sync`;
  const buildPath = (id: string) => `${all}/${encodeURIComponent(id)}`;
  return {
    identityMaps: {
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      get: (id) => send({ method: 'GET', path: buildPath(id) }),
      put: (id, body) => send({ method: 'PUT', path: buildPath(id), body }),
      remove: (id) => send({ method: 'DELETE', path: buildPath(id) }),
      identities: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/identities`, query: { ...query } }),
      sync: (id) => send({ method: 'POST', path: `${buildPath(id)}/sync` }),
    },
    accessSync: {
      get: (flowId) => send({ method: 'GET', path: buildAccessPath(flowId) }),
      start: (flowId) => send({ method: 'POST', path: buildAccessPath(flowId) }),
    },
  };
}
