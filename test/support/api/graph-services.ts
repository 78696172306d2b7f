import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../../model/errors';
import { isFinalGraph } from '../../../model/graph/graph-build';
import type { CorpusStore } from '../../../services/graph/corpus-store';
import { buildGraphFileKey } from '../../../services/graph/files';
import { createGraphs, type Graphs } from '../../../services/graph/graphs';
import { type GraphRecord, type GraphStore, noUsage } from '../../../services/graph/store';
import { createPageCursors } from '../../../services/storage/page-cursors';
import { createSealer } from '../../../services/storage/sealing/sealer';
import { memoryCorpusStore } from './graph/corpus-store';

/** Graphs over a store, an engine and files in memory. */
export interface MemoryGraphs {
  services: Graphs;
  records: Map<string, GraphRecord>;
  files: Map<string, Buffer>;
  corpora: CorpusStore;
  started: string[];
  cancelled: string[];
  /** Set while the engine is unavailable. */
  engineError?: AppError;
  /** Ends a graph as the worker does, with files of these texts. */
  complete(id: string, files?: Record<string, string>): Promise<void>;
}

const formats = { 'graph.json': 'json', 'nodes.csv': 'csv', 'edges.csv': 'csv', 'graph.html': 'html' } as const;

/** Creates it; here only `complete` builds a graph. */
export function memoryGraphs(newId: () => string = randomUUID): MemoryGraphs {
  const records = new Map<string, GraphRecord>();
  const files = new Map<string, Buffer>();
  const store = memoryStore(records);
  const corpora = memoryCorpusStore();
  const memory: MemoryGraphs = {
    records,
    files,
    corpora,
    started: [],
    cancelled: [],
    async complete(
      id,
      input = { 'graph.json': '{"nodes": [{"id": "a"}], "edges": []}', 'nodes.csv': 'id\n', 'edges.csv': 'source\n' },
    ) {
      for (const [name, text] of Object.entries(input)) files.set(buildGraphFileKey(id, name), Buffer.from(text));
      const written = Object.entries(input).map(([name, text]) => ({
        name,
        ...(name in formats ? { format: formats[name as keyof typeof formats] } : {}),
        bytes: Buffer.byteLength(text),
      }));
      await store.end(id, { state: 'COMPLETED', facts: { nodes: 2, edges: 1, problems: 0, files: written } });
    },
    services: createGraphs({
      store,
      engine: {
        nameWorkflow: () => undefined,
        start: async ({ id }) => {
          if (memory.engineError) throw memory.engineError;
          memory.started.push(id);
        },
        cancel: async (id) => void memory.cancelled.push(id),
        isRunning: async (id) => memory.started.includes(id),
        settle: async () => undefined,
        close: async () => undefined,
      },
      files: {
        put: async (key, bytes) =>
          void files.set(key, bytes instanceof Readable ? await buffer(bytes) : Buffer.from(bytes)),
        removePrefix: async (prefix) => {
          for (const key of files.keys()) if (key.startsWith(prefix)) files.delete(key);
        },
      },
      corpora,
      cursors: createPageCursors(createSealer(() => [randomBytes(32).toString('base64')])),
      open: async (key) => {
        const bytes = files.get(key);
        if (!bytes) throw new AppError('TABLE_NOT_FOUND', `Nothing is stored under '${key}'.`);
        return Readable.from([bytes]);
      },
      newId,
    }),
  };
  return memory;
}

function memoryStore(records: Map<string, GraphRecord>): GraphStore {
  const change = (id: string, input: Partial<GraphRecord>) => {
    const record = records.get(id);
    if (record) records.set(id, { ...record, ...input });
    return records.get(id);
  };
  return {
    create: async (graph) => {
      const earlier = records.get(graph.id);
      if (!earlier) records.set(graph.id, graph);
      return { graph: earlier ?? graph, created: !earlier };
    },
    listIdsByDocuments: async () => [],
    get: async (id) => records.get(id),
    list: async ({ user, everyone }, { limit, offset, state, about }) => {
      const found = [...records.values()]
        .filter(({ owner, readers }) => everyone || owner === user.username || readers?.includes(user.username))
        .filter((graph) => state === undefined || graph.state === state)
        .filter(
          ({ source, corpus }) =>
            !about ||
            source.document_id === about.documentId ||
            (corpus !== undefined && about.setIds.includes(source.document_set_id ?? '')),
        );
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    begin: async (id) => change(id, { state: 'RUNNING', started_at: new Date().toISOString() }),
    noteChunks: async (id, chunks) => void change(id, { chunks }),
    end: async (id, end) => {
      const record = records.get(id);
      if (!record || isFinalGraph(record.state)) return { graph: record, ended: false };
      return { graph: change(id, { ...end, ended_at: new Date().toISOString() }), ended: true };
    },
    queue: async (id, update) => {
      const { state, corpus } = records.get(id) ?? {};
      if (!state || !isFinalGraph(state) || !corpus) return undefined;
      const fresh = { queued_at: new Date().toISOString(), changes: null, estimate: null, usage: noUsage };
      const { stale_since: _updated, ...known } = corpus;
      const next = { ...known, ...update, ...fresh, update: corpus.update + 1 };
      return change(id, { state: 'QUEUED', error: null, started_at: null, ended_at: null, corpus: next });
    },
    change: async (id, { readers, ...more }) => {
      const { corpus } = records.get(id) ?? {};
      return change(id, { ...(readers ? { readers } : {}), ...(corpus ? { corpus: { ...corpus, ...more } } : {}) });
    },
    adopt: async (id, { corpusTemplate, limit, resolution, auto_update, provider_config, ...settings }) => {
      const { corpus } = records.get(id) ?? {};
      const chosen = {
        ...(limit && { limit }),
        ...(resolution && { resolution }),
        ...(auto_update === undefined ? {} : { auto_update }),
      };
      const next = { ...corpus, ...chosen, template: corpusTemplate, is_dry_run: false };
      if (corpus) change(id, { ...settings, provider_config, corpus: { ...corpus, ...next } });
    },
    noteCorpus: async (id, facts) => {
      const { corpus } = records.get(id) ?? {};
      if (corpus) change(id, { corpus: { ...corpus, ...facts } });
    },
    noteStale: async (setIds, except = []) => {
      for (const { id, source, corpus } of records.values())
        if (
          !except.includes(id) &&
          corpus?.auto_update &&
          !corpus.is_dry_run &&
          setIds.includes(source.document_set_id ?? '')
        )
          change(id, { corpus: { ...corpus, stale_since: 'now' } });
    },
    listStale: async () =>
      [...records.values()].filter(({ corpus, state }) => corpus?.stale_since !== undefined && isFinalGraph(state)),
    addUsage: async () => undefined,
    remove: async (id) => void records.delete(id),
    listOpen: async () => [],
    listEnded: async () => [],
  };
}
