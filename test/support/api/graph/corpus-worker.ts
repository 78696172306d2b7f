import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GraphDeps } from '../../../../activities/graph/deps';
import { updatePart } from '../../../../activities/graph/update';
import { planUpdate, type PlannedDocument } from '../../../../activities/graph/update-plan';
import { runPipeline, writeJson } from '../../../../graph';
import { jsonText } from '../../../../graph/core/json-text';
import { getTemplate, toPipelineOptions } from '../../../../graph/request';
import { AppError } from '../../../../model/errors';
import type { GraphAnswer, GraphTask } from '../../../../services/graph/builder';
import { locateUpdateInput } from '../../../../services/graph/files';
import type { memoryDocumentSets } from '../document-set-services';
import type { MemoryGraphs } from '../graph-services';

/** Runs the activities of an update as the workflow does, over files in memory. */
export interface CorpusWorker {
  files: Map<string, Buffer>;
  /** The keys of the files that were opened. */
  opened: string[];
  /** Plans an update; returns the changes and the documents to read. */
  plan(graphId: string): Promise<{ changes: object; read: PlannedDocument[] }>;
  /** Reads these parts of the plan, as often as they are named. */
  readParts(graphId: string, parts: readonly number[]): Promise<void>;
  /** Plans an update and makes it. */
  update: CorpusWorker['plan'];
}

/** Creates it. Graphs are built in this thread. */
export function createCorpusWorker(
  { records, corpora }: MemoryGraphs,
  { documentSets }: ReturnType<typeof memoryDocumentSets>,
): CorpusWorker {
  const files = new Map<string, Buffer>();
  const opened: string[] = [];
  const deps = {
    corpora,
    documentSets,
    env: {},
    store: { get: async (id: string) => records.get(id) },
    files: {
      put: async (key: string, bytes: Uint8Array) => void files.set(key, Buffer.from(bytes)),
      async get(key: string) {
        opened.push(key);
        if (key.split('/').includes('..')) throw new AppError('VALIDATION_ERROR', `'${key}' is no key.`);
        const bytes = files.get(key);
        if (!bytes) throw new AppError('TABLE_NOT_FOUND', `Nothing is stored under '${key}'.`);
        return bytes;
      },
      async *list(prefix: string) {
        yield* [...files.keys()].filter((key) => key.startsWith(prefix));
      },
      async removePrefix(prefix: string) {
        for (const key of files.keys()) if (key.startsWith(prefix)) files.delete(key);
      },
    },
    builder: { build: buildGraph },
  } as unknown as GraphDeps;
  const { signal } = new AbortController();
  const readJson = (key: string): unknown => JSON.parse(String(files.get(key)));
  const change = (graphId: string, state: 'RUNNING' | 'COMPLETED') => {
    const graph = records.get(graphId);
    if (!graph) throw new Error(`no graph ${graphId}`);
    records.set(graphId, { ...graph, state, ended_at: state === 'RUNNING' ? null : '2026-01-01T00:00:00.000Z' });
    return graph;
  };
  const worker: CorpusWorker = {
    files,
    opened,
    async plan(graphId) {
      opened.length = 0;
      const { parts, changes } = await planUpdate(deps, change(graphId, 'RUNNING'), signal);
      const keys = Array.from({ length: parts }, (_, part) => locateUpdateInput(graphId).part(part));
      return { changes, read: keys.flatMap((key) => readJson(key) as PlannedDocument[]) };
    },
    async readParts(graphId, parts) {
      change(graphId, 'RUNNING');
      for (const part of parts) await updatePart(deps, { graphId, part }, signal, {});
      await corpora.remove(graphId, readJson(locateUpdateInput(graphId).removed) as string[]);
      change(graphId, 'COMPLETED');
    },
    async update(graphId) {
      const planned = await worker.plan(graphId);
      const parts = [...files.keys()].filter((key) =>
        key.startsWith(locateUpdateInput(graphId).part(0).replace('0.json', '')),
      );
      await worker.readParts(graphId, [...parts.keys()]);
      return planned;
    },
  };
  return worker;
}

/** Builds the files that an update reads, without a thread and a model. */
async function buildGraph({ source, template: given, options, folder }: GraphTask): Promise<GraphAnswer> {
  const { template } = JSON.parse(given) as { template: object };
  const { graph, provenance } = await runPipeline({
    source: String(source),
    template: getTemplate(template),
    options: toPipelineOptions(options),
  });
  await writeFile(path.join(folder, 'graph.json'), [...writeJson(graph)].join(''));
  await writeFile(path.join(folder, 'provenance.json'), jsonText(provenance ?? {}));
  return { facts: { nodes: graph.nodes.size, edges: graph.edges.size, problems: 0, files: [] } };
}
