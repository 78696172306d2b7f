import { type GraphFormat, isFinalGraph, type GraphState } from '../model/graph/graph-build';
import type { PairState } from '../model/graph/pairs';
import type { GraphChange, GraphCreate, GraphPage, GraphReply, GraphUpdate } from '../model/graph/wire';
import type { GraphDocument, GraphDocuments } from '../model/graph/wire-documents';
import type {
  GraphNeighbours,
  GraphNodes,
  GraphPassages,
  GraphPaths,
  GraphStatistics,
} from '../model/graph/wire-facts';
import type { GraphDecided, GraphDecisions, GraphPairs } from '../model/graph/wire-pairs';
import type { GraphTemplateDraft, GraphTemplateRequest, GraphTemplates } from '../model/graph/wire-templates';
import type { Call } from './http';

/** A model that improves the draft may take two minutes for each answer. */
const draftTimeoutMs = 15 * 60_000;

/** Headers of a graph request. `tenant` and `apiKey` are those of the conversion service, for graphs of its tasks. */
export interface GraphRequestOptions {
  /** Using a key again returns the first graph. */
  idempotencyKey?: string;
  tenant?: string;
  apiKey?: string;
}

/** Knowledge graphs that the api builds. */
export interface GraphMethods {
  graphs: {
    /** Starts the build; poll the graph, or wait with `finished`. */
    create(request: GraphCreate, options?: GraphRequestOptions): Promise<GraphReply>;
    get(graphId: string): Promise<GraphReply>;
    list(query?: { limit?: number; offset?: number; state?: GraphState }): Promise<GraphPage>;
    /** Polls twice a second until the build has ended, successfully or not. */
    finished(graphId: string, signal?: AbortSignal): Promise<GraphReply>;
    /** Cancels a graph that is being built and returns it, or removes a finished one. */
    remove(graphId: string): Promise<GraphReply | undefined>;
    /** Streams one format, default `json`; `csv` and `parquet`, and `zip` for all files, are zip archives. */
    result(graphId: string, format?: GraphFormat | 'zip', signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
    file(graphId: string, name: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
    /** Brings a graph of a corpus up to date with its document set; wait with `finished`. */
    update(graphId: string, update?: GraphUpdate): Promise<GraphReply>;
    /** Nodes by class, property and text; `next` of a page is `after` of the following one. */
    nodes(
      graphId: string,
      query?: { label?: string; property?: string; value?: string; query?: string; after?: string; limit?: number },
    ): Promise<GraphNodes>;
    neighbours(
      graphId: string,
      query: { node: string; label?: string; direction?: 'in' | 'out' | 'both'; limit?: number },
    ): Promise<GraphNeighbours>;
    paths(
      graphId: string,
      query: { from: string; to: string; max_length?: number; limit?: number },
    ): Promise<GraphPaths>;
    /** Passages behind the facts that are nearest to a question. */
    passages(graphId: string, query: { query: string; limit?: number }): Promise<GraphPassages>;
    statistics(graphId: string): Promise<GraphStatistics>;
    /** Documents of a graph of a corpus; `next` of a page is `after` of the following one. */
    documents(
      graphId: string,
      query?: { state?: GraphDocument['state']; after?: string; limit?: number },
    ): Promise<GraphDocuments>;
    /** Templates for the document classes that ship with the product. */
    templates(query?: { document_type?: string }): Promise<GraphTemplates>;
    /** Drafts a template from documents of one kind. */
    draftTemplate(samples: GraphTemplateRequest, signal?: AbortSignal): Promise<GraphTemplateDraft>;
    /** Changes readers and settings of a graph of a corpus. */
    change(graphId: string, change: GraphChange): Promise<GraphReply>;
    /** Nodes that may mean the same thing; `next` of a page is `after` of the following one. */
    pairs(
      graphId: string,
      query?: { state?: PairState; label?: string; after?: string; limit?: number },
    ): Promise<GraphPairs>;
    /** Decides which nodes mean the same thing; `different` and `open` undo a merge. */
    decidePairs(graphId: string, decisions: GraphDecisions['decisions']): Promise<GraphDecided>;
  };
}

const pollMs = 500;

/** Implements these methods: `send` for JSON, `bytes` for files. */
export function createGraphMethods(
  send: <T>(call: Call) => Promise<T>,
  bytes: (call: Call) => AsyncGenerator<Uint8Array, void, void>,
): GraphMethods {
  const graphs = '/api/v1/graphs';
  const buildPath = (id: string) => `${graphs}/${encodeURIComponent(id)}`;
  const get = (id: string, signal?: AbortSignal) => send<GraphReply>({ method: 'GET', path: buildPath(id), signal });
  return {
    graphs: {
      create: (body, options = {}) => send({ method: 'POST', path: graphs, body, headers: buildHeaders(options) }),
      get: (id) => get(id),
      list: (query) => send({ method: 'GET', path: graphs, query: { ...query } }),
      async finished(id, signal) {
        for (;;) {
          const task = await get(id, signal);
          if (isFinalGraph(task.state)) return task;
          await new Promise((resolve) => setTimeout(resolve, pollMs));
        }
      },
      remove: (id) => send({ method: 'DELETE', path: buildPath(id) }),
      result: (id, format, signal) =>
        bytes({ method: 'GET', path: `${buildPath(id)}/result`, query: { format }, signal }),
      update: (id, update = {}) => send({ method: 'POST', path: `${buildPath(id)}/update`, body: update }),
      nodes: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/nodes`, query: { ...query } }),
      neighbours: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/neighbours`, query }),
      paths: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/paths`, query }),
      passages: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/passages`, query }),
      statistics: (id) => send({ method: 'GET', path: `${buildPath(id)}/statistics` }),
      templates: (query) => send({ method: 'GET', path: `${graphs}/templates`, query: { ...query } }),
      draftTemplate: (body, signal) =>
        send({ method: 'POST', path: `${graphs}/template`, body, signal, timeoutMs: draftTimeoutMs }),
      documents: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/documents`, query: { ...query } }),
      change: (id, body) => send({ method: 'PATCH', path: buildPath(id), body }),
      pairs: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/pairs`, query: { ...query } }),
      decidePairs: (id, decisions) => send({ method: 'POST', path: `${buildPath(id)}/pairs`, body: { decisions } }),
      file: (id, name, signal) =>
        bytes({ method: 'GET', path: `${buildPath(id)}/files/${encodeURIComponent(name)}`, signal }),
    },
  };
}

function buildHeaders({ idempotencyKey, tenant, apiKey }: GraphRequestOptions): Record<string, string> {
  return {
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(tenant === undefined ? {} : { 'X-Tenant-Id': tenant }),
    ...(apiKey === undefined ? {} : { 'X-Api-Key': apiKey }),
  };
}
