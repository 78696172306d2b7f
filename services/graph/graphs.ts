import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import { type GraphFile, isFinalGraph } from '../../model/graph/graph-build';
import type { ResourceAsker } from '../document-set/document-sets-store';
import { type FilesStore, createFiles } from '../storage/files';
import { createGraphEngine, type GraphEngine } from './engine';
import { endLostGraph, graphFileKey, graphInput, graphPrefix, tidyGraph } from './files';
import { createGraphStore, type GraphRecord, type GraphStore } from './store';
import type { Mongo } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { temporalOptions } from '../temporal/client';
import { zipOf } from '../storage/zip-stream';

/** What is asked for: a record that has no id and no state yet, its source, and the template as it was given. */
export type NewGraph = Pick<
  GraphRecord,
  'owner' | 'source' | 'source_type' | 'template' | 'options' | 'provider_config'
> & {
  /** Gives the source when it is to be stored. */
  content: () => Promise<Uint8Array | Readable>;
  given: string | object;
  /** The same key of the same owner again gives the graph that was made first. */
  idempotencyKey?: string;
};

/** Graphs as the api sees them: a record, a workflow that builds it, and files. */
export interface Graphs {
  /**
   * Keeps source and template and starts the workflow. WORKFLOW_ENGINE_UNAVAILABLE, DATABASE_UNAVAILABLE and STORAGE_ERROR leave
   * nothing behind; CONFLICT where the idempotency key was used for something else.
   */
  submit(graph: NewGraph): Promise<GraphRecord>;
  /** That of the asker, or anybody's for `everyone`. One whose workflow is gone is FAILED from then on. */
  get(asker: ResourceAsker, id: string): Promise<GraphRecord | undefined>;
  list: GraphStore['list'];
  /** Ends the graph and asks its workflow to; the graph as it then is. */
  cancel(id: string): Promise<GraphRecord | undefined>;
  /** Forgets a graph that has ended, with its files. WORKFLOW_ENGINE_UNAVAILABLE removes nothing. */
  remove(id: string): Promise<void>;
  /** One of its files. TABLE_NOT_FOUND when it is gone. */
  open(graph: GraphRecord, file: GraphFile): Promise<Readable>;
  /** Several of its files as a zip archive, made while it is read. */
  archive(graph: GraphRecord, files: readonly GraphFile[]): Readable;
  close(): Promise<void>;
}

/** What graphs are made of. */
export interface GraphsDeps {
  store: GraphStore;
  engine: GraphEngine;
  files: Pick<FilesStore, 'put' | 'removePrefix'>;
  open: ObjectStore['open'];
  newId: () => string;
}

/** A workflow that ended without saying so is looked for when its graph has been open for so long, and so often. */
const suspectMs = 20_000;

/** Graphs over the database, the object store and Temporal. Nothing is contacted yet. */
export function connectGraphs(given: {
  config: Config;
  mongo: Mongo;
  store: ObjectStore;
  newId: () => string;
}): Graphs {
  const { config, mongo, store, newId } = given;
  return createGraphs({
    store: createGraphStore(mongo),
    engine: createGraphEngine(temporalOptions(config, mongo)),
    files: createFiles({ store }),
    open: (key) => store.open(key),
    newId,
  });
}

/** Graphs as the api sees them. */
export function createGraphs(deps: GraphsDeps): Graphs {
  const { store, engine, files, open } = deps;
  const asked = new Map<string, number>();

  async function look(id: string): Promise<GraphRecord | undefined> {
    const graph = await store.get(id);
    if (!graph || isFinalGraph(graph.state)) {
      asked.delete(id);
      return graph;
    }
    const now = Date.now();
    if (now - (asked.get(id) ?? Date.parse(graph.created_at)) < suspectMs) return graph;
    asked.set(id, now);
    // While Temporal is away the graph stays as it is.
    if (await engine.isRunning(id).catch(() => true)) return graph;
    return endLostGraph({ store, files }, id);
  }

  return {
    submit: (graph) => submit(deps, graph),
    async get({ user, everyone }, id) {
      const graph = await look(id);
      return graph && (everyone || graph.owner === user.username) ? graph : undefined;
    },
    list: (asker, query) => store.list(asker, query),
    async cancel(id) {
      const { graph, ended } = await store.end(id, { state: 'CANCELED' });
      if (ended) await engine.cancel(id);
      return graph;
    },
    async remove(id) {
      // The record says that the graph has ended before the last activity has tidied up. It would take the files of a next graph
      // of the same id, which the same idempotency key gives.
      await engine.settle(id);
      await files.removePrefix(graphPrefix(id));
      await store.remove(id);
    },
    open: ({ id }, { name }) => open(graphFileKey(id, name)),
    archive: ({ id }, list) =>
      zipOf(list.map(({ name }) => ({ name, open: () => open(graphFileKey(id, name)), isCompressed: false }))),
    close: () => engine.close(),
  };
}

async function submit({ store, engine, files, newId }: GraphsDeps, asked: NewGraph): Promise<GraphRecord> {
  const { content, given, idempotencyKey, ...facts } = asked;
  const template = JSON.stringify({ template: given });
  const request_hash = idempotencyKey === undefined ? undefined : digest(facts, template);
  const { graph, created } = await store.create({
    ...facts,
    id: idempotencyKey === undefined ? newId() : idOf(facts.owner, idempotencyKey),
    state: 'QUEUED',
    chunks: 0,
    facts: null,
    error: null,
    created_at: new Date().toISOString(),
    started_at: null,
    ended_at: null,
    ...(request_hash === undefined ? {} : { request_hash }),
  });
  if (!created && graph.request_hash !== request_hash)
    throw new AppError(
      'CONFLICT',
      `The idempotency key was used for the graph ${graph.id} of another source, template or options.`,
      { target: { type: 'header', name: 'Idempotency-Key' } },
    );
  // An earlier request with the same key may have been cut off before it came to the start.
  const isStarted = !created && (graph.state !== 'QUEUED' || (await engine.isRunning(graph.id)));
  if (isStarted) return graph;
  const keys = graphInput(graph.id);
  try {
    await files.put(keys.template, Buffer.from(template));
    await files.put(keys.source, await content());
    await engine.start(graph);
    return graph;
  } catch (error) {
    // A record that nobody starts would stay QUEUED; what cannot be removed now, the sweep removes.
    if (created) {
      await store.remove(graph.id).catch(() => undefined);
      await tidyGraph(files, graph.id, undefined).catch(() => undefined);
    }
    throw error;
  }
}

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A UUID that owner and key decide. */
function idOf(owner: string, key: string): string {
  const hash = digest('graph', owner, key);
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(18, 20),
    hash.slice(20, 32),
  ].join('-');
}
