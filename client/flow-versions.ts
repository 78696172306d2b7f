import type { ElyraFlowReply } from '../model/elyra/wire';
import type { FlowVersionDifference, FlowVersionPage, FlowVersionReply } from '../model/flow/version/wire';
import type { FlowReply } from '../model/flow/wire-flows';
import type { Call } from './http';

/** Versions of flows. */
export interface FlowVersionMethods {
  flowVersions: {
    /** Newest first. */
    list(flowId: string, query?: { limit?: number; offset?: number }): Promise<FlowVersionPage>;
    get(flowId: string, version: number): Promise<FlowVersionReply>;
    /** Compares with `baseVersion`, by default the version before. */
    compare(flowId: string, version: number, baseVersion?: number): Promise<FlowVersionDifference>;
    /** Makes this version the newest version. */
    restore(flowId: string, version: number, options?: { ifMatch?: string }): Promise<FlowReply | ElyraFlowReply>;
  };
}

/** Implements these methods over `send`. */
export function createFlowVersionMethods(send: <T>(call: Call) => Promise<T>): FlowVersionMethods {
  const buildListPath = (flowId: string) => `/api/v1/flows/${encodeURIComponent(flowId)}/versions`;
  return {
    flowVersions: {
      list: (flowId, query) => send({ method: 'GET', path: buildListPath(flowId), query: { ...query } }),
      get: (flowId, version) => send({ method: 'GET', path: `${buildListPath(flowId)}/${version}` }),
      compare: (flowId, version, base_version) =>
        send({ method: 'GET', path: `${buildListPath(flowId)}/${version}/difference`, query: { base_version } }),
      restore: (flowId, version, { ifMatch } = {}) =>
        send({
          method: 'POST',
          path: `${buildListPath(flowId)}/${version}/restore`,
          headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
        }),
    },
  };
}
