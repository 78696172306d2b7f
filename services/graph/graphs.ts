import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Config } from '../../model/config';
import { AppError, asAppError } from '../../model/errors';
import type { GraphView } from '../../model/graph/facts';
import { type GraphFile, isFinalGraph } from '../../model/graph/graph-build';
import type { ResourceAsker } from '../document-set/document-sets-store';
import { type FilesStore, createFiles } from '../storage/files';
import type { Mongo } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { createPageCursors, type PageCursors } from '../storage/page-cursors';
import { createZip } from '../storage/zip-stream';
import { readTemporalOptions } from '../temporal/client';
import {
  type CorpusDocument,
  type CorpusPageQuery,
  type CorpusStore,
  createCorpusStore,
  type ReadableDocuments,
} from './corpus-store';
import { createGraphEngine, type GraphEngine, getGraphWorkflowId } from './engine';
import { failOrphanedGraph, buildGraphFileKey, locateGraphInput, buildGraphPrefix, tidyGraph } from './files';
import type { PairStore } from './pair-store';
import {
  type CorpusRecord,
  type CorpusSettings,
  createGraphStore,
  type GraphRecord,
  type GraphStore,
  noUsage,
} from './store';

/** A requested graph: the record without id and state, the source, and the template as given. */
export type NewGraph = Pick<
  GraphRecord,
  'owner' | 'owner_groups' | 'source' | 'source_type' | 'template' | 'options' | 'provider_config'
> & {
  /** Called when the source is stored. */
  content: () => Promise<Uint8Array | Readable>;
  given: string | object;
  /** A source that was in the request itself: it distinguishes requests with the same idempotency key. */
  text?: string;
  /** Repeating the key as the same owner returns the existing graph. */
  idempotencyKey?: string;
};

/** A requested graph of a corpus, which is built by its first update. */
export type NewCorpusGraph = Pick<
  GraphRecord,
  'owner' | 'owner_groups' | 'source' | 'template' | 'options' | 'provider_config'
> &
  Required<Pick<GraphRecord, 'name' | 'readers'>> &
  Pick<CorpusRecord, 'limit' | 'is_dry_run' | 'resolution' | 'auto_update'> & { given: string | object };

/** Graphs as the API uses them: each has a record, a workflow that builds it, and files. */
export interface Graphs {
  /**
   * Stores source and template and starts the workflow. Leaves nothing behind when it fails with WORKFLOW_ENGINE_UNAVAILABLE,
   * DATABASE_UNAVAILABLE or STORAGE_ERROR. Throws CONFLICT when the idempotency key was used for another request.
   */
  submit(graph: NewGraph): Promise<GraphRecord>;
  /** Creates a graph of a corpus and starts its first update. Throws CONFLICT when the owner has a graph of that name. */
  submitCorpus(graph: NewCorpusGraph): Promise<GraphRecord>;
  /** Starts an update of a graph of a corpus. Throws CONFLICT while one is running. */
  update(id: string, update: Pick<CorpusRecord, 'limit' | 'is_dry_run'>): Promise<GraphRecord>;
  /** Which nodes of graphs of a corpus mean the same thing. */
  pairs: PairStore;
  /** Changes settings of a corpus graph; they apply from the next update on. Undefined if it was removed. */
  change(id: string, settings: CorpusSettings): Promise<GraphRecord | undefined>;
  /**
   * Creates the graph that a flow names and returns its id, or applies the settings of the flow to the graph of that owner and
   * name. Throws CONFLICT when that one is of another document set.
   */
  followFlow(graph: NewCorpusGraph): Promise<string | undefined>;
  /**
   * Starts an update of graphs that follow their sets, except those named, after these have changed. Graphs that cannot start
   * now remain marked and start with the next call.
   */
  updateAfterRun(setIds: readonly string[], except?: readonly string[]): Promise<void>;
  /** The facts of a corpus graph for a reader of these documents, each node by its own id. */
  openView(id: string, readable: ReadableDocuments): GraphView;
  /** Cursors of lists that a reader sees only in part. */
  cursors: PageCursors;
  /** Documents of a corpus graph, for all readers. */
  listDocuments(id: string, query: CorpusPageQuery): Promise<CorpusDocument[]>;
  /**
   * A graph of the asker, or one that names the asker as a reader, or of any user with `everyone`. A graph whose workflow no longer
   * exists is set to FAILED.
   */
  get(asker: ResourceAsker, id: string): Promise<GraphRecord | undefined>;
  list: GraphStore['list'];
  /** Ends the graph, requests cancellation of its workflow and returns the current graph. */
  cancel(id: string): Promise<GraphRecord | undefined>;
  /** Deletes a finished graph with its files and facts. Deletes nothing when it fails with WORKFLOW_ENGINE_UNAVAILABLE. */
  remove(id: string): Promise<void>;
  /** Opens a file of the graph. Throws TABLE_NOT_FOUND when it was deleted. */
  open(graph: GraphRecord, file: GraphFile): Promise<Readable>;
  /** Streams several files of the graph as a zip archive. */
  streamArchive(graph: GraphRecord, files: readonly GraphFile[]): Readable;
  close(): Promise<void>;
}

/** Dependencies of the graphs. */
export interface GraphsDeps {
  store: GraphStore;
  engine: GraphEngine;
  files: Pick<FilesStore, 'put' | 'removePrefix'>;
  corpora: Pick<CorpusStore, 'removeGraph' | 'openView' | 'pairs' | 'listDocuments'>;
  open: ObjectStore['open'];
  cursors: PageCursors;
  newId: () => string;
}

/** A graph that has been open for this long is checked, at this interval, for a workflow that ended without recording it. */
const suspectMs = 20_000;

/** Maximum number of updates that one run or sweep starts; the next sweep continues. */
const maxUpdates = 100;

/**
 * Another user has started the update, or the workflow engine is unavailable: the graph remains recorded, and its record
 * shows the state.
 */
function ignoreBusy(error: unknown): void {
  const { code } = asAppError(error);
  if (code !== 'CONFLICT' && code !== 'WORKFLOW_ENGINE_UNAVAILABLE') throw error;
}

/** Creates graphs on top of the database, the object store and Temporal. Does not connect to any of them yet. */
export function connectGraphs(input: {
  config: Config;
  mongo: Mongo;
  store: ObjectStore;
  newId: () => string;
}): Graphs {
  const { config, mongo, store, newId } = input;
  return createGraphs({
    store: createGraphStore(mongo),
    engine: createGraphEngine(readTemporalOptions(config, mongo)),
    files: createFiles({ store }),
    corpora: createCorpusStore(mongo),
    open: (key) => store.open(key),
    cursors: createPageCursors(mongo.sealer),
    newId,
  });
}

/** Creates the graphs as the API uses them. */
export function createGraphs(deps: GraphsDeps): Graphs {
  const { store, engine, files, corpora, open } = deps;
  const checkedAt = new Map<string, number>();

  async function findGraph(id: string): Promise<GraphRecord | undefined> {
    const graph = await store.get(id);
    if (!graph || isFinalGraph(graph.state)) {
      checkedAt.delete(id);
      return graph;
    }
    const now = Date.now();
    const queued = graph.corpus?.queued_at ?? graph.created_at;
    if (now - Math.max(checkedAt.get(id) ?? 0, Date.parse(queued)) < suspectMs) return graph;
    checkedAt.set(id, now);
    // While Temporal is unavailable, the graph keeps its state.
    if (await engine.isRunning(getGraphWorkflowId(graph)).catch(() => true)) return graph;
    return failOrphanedGraph({ store, files }, id);
  }

  return {
    submit: (graph) => submit(deps, graph),
    submitCorpus: (graph) => submitCorpus(deps, graph),
    update: (id, corpusRecord) => update(deps, id, corpusRecord),
    followFlow: (graph) => followFlow(deps, graph),
    updateAfterRun: (setIds, except) => updateAfterRun(deps, setIds, except),
    pairs: corpora.pairs,
    cursors: deps.cursors,
    change: (id, settings) => store.change(id, settings),
    openView: (id, readable) => corpora.openView(id, readable),
    listDocuments: (id, query) => corpora.listDocuments(id, query),
    async get({ user, everyone }, id) {
      const graph = await findGraph(id);
      const isVisible = everyone || graph?.owner === user.username || graph?.readers?.includes(user.username);
      return isVisible ? graph : undefined;
    },
    list: (asker, query) => store.list(asker, query),
    async cancel(id) {
      const { graph, ended } = await store.end(id, { state: 'CANCELED' });
      if (ended && graph) await engine.cancel(getGraphWorkflowId(graph));
      return graph;
    },
    async remove(id) {
      // The record is final before the last activity has cleaned up. A clean-up after this removal would delete the files of a
      // new graph with the same id, which the same idempotency key creates.
      const graph = await store.get(id);
      await engine.settle(graph ? getGraphWorkflowId(graph) : id);
      await files.removePrefix(buildGraphPrefix(id));
      await store.remove(id);
      await corpora.removeGraph(id);
    },
    open: ({ id }, { name }) => open(buildGraphFileKey(id, name)),
    streamArchive: ({ id }, list) =>
      createZip(list.map(({ name }) => ({ name, open: () => open(buildGraphFileKey(id, name)), isCompressed: false }))),
    close: () => engine.close(),
  };
}

async function update(
  { store, engine }: Pick<GraphsDeps, 'store' | 'engine'>,
  id: string,
  corpusRecord: Pick<CorpusRecord, 'limit' | 'is_dry_run'>,
): Promise<GraphRecord> {
  // The record is final before the workflow has ended, and its id could not be used again.
  const before = await store.get(id);
  if (before && isFinalGraph(before.state)) await engine.settle(getGraphWorkflowId(before));
  const graph = await store.queue(id, corpusRecord);
  if (!graph) throw new AppError('CONFLICT', 'The graph is being updated; wait for the end, or cancel it.');
  return startGraph({ store, engine }, graph);
}

async function updateAfterRun(
  deps: Pick<GraphsDeps, 'store' | 'engine'>,
  setIds: readonly string[],
  except: readonly string[] = [],
): Promise<void> {
  if (setIds.length > 0) await deps.store.noteStale(setIds, except);
  for (const { id, corpus } of await deps.store.listStale(maxUpdates))
    await update(deps, id, { limit: corpus?.limit ?? null, is_dry_run: false }).catch(ignoreBusy);
}

function nameWorkflow(
  engine: Pick<GraphEngine, 'nameWorkflow'>,
  graph: Pick<GraphRecord, 'id' | 'source' | 'name'>,
): Pick<GraphRecord, 'workflow_id'> {
  const workflow_id = engine.nameWorkflow(graph);
  return workflow_id === undefined ? {} : { workflow_id };
}

function createQueuedState(): Pick<
  GraphRecord,
  'state' | 'chunks' | 'facts' | 'error' | 'created_at' | 'started_at' | 'ended_at'
> {
  const created_at = new Date().toISOString();
  return { state: 'QUEUED', chunks: 0, facts: null, error: null, created_at, started_at: null, ended_at: null };
}

async function submit({ store, engine, files, newId }: GraphsDeps, newGraph: NewGraph): Promise<GraphRecord> {
  const { content, given, text, idempotencyKey, ...facts } = newGraph;
  const template = JSON.stringify({ template: given });
  // The groups of a login may change between two attempts of the same request.
  const { owner_groups: _groups, ...same } = facts;
  const request_hash =
    idempotencyKey === undefined ? undefined : hashParts(same, template, ...(text === undefined ? [] : [text]));
  const id = idempotencyKey === undefined ? newId() : deriveId(facts.owner, idempotencyKey);
  const { graph, created } = await store.create({
    ...facts,
    id,
    ...nameWorkflow(engine, { id, source: facts.source }),
    ...createQueuedState(),
    ...(request_hash === undefined ? {} : { request_hash }),
  });
  if (!created && graph.request_hash !== request_hash)
    throw new AppError(
      'CONFLICT',
      `The idempotency key was used for the graph ${graph.id} of another source, template or options.`,
      { target: { type: 'header', name: 'Idempotency-Key' } },
    );
  // An earlier request with the same key may have been interrupted before it started the workflow.
  const isStarted = !created && (graph.state !== 'QUEUED' || (await engine.isRunning(getGraphWorkflowId(graph))));
  if (isStarted) return graph;
  const keys = locateGraphInput(graph.id);
  try {
    await files.put(keys.template, Buffer.from(template));
    await files.put(keys.source, await content());
    await engine.start(graph);
    return graph;
  } catch (error) {
    // A record without a workflow would stay QUEUED. The sweep removes records that cannot be removed now.
    if (created) {
      await store.remove(graph.id).catch(() => undefined);
      await tidyGraph(files, graph.id, undefined).catch(() => undefined);
    }
    throw error;
  }
}

async function submitCorpus(
  { store, engine }: Pick<GraphsDeps, 'store' | 'engine'>,
  newGraph: NewCorpusGraph,
): Promise<GraphRecord> {
  const { given, limit, is_dry_run, resolution, auto_update, ...facts } = newGraph;
  const id = deriveCorpusId(facts);
  const { graph, created } = await store.create({
    ...facts,
    id,
    ...nameWorkflow(engine, { id, source: facts.source, name: facts.name }),
    source_type: 'markdown',
    ...createQueuedState(),
    corpus: {
      template: formatTemplate(given),
      update: 1,
      queued_at: new Date().toISOString(),
      limit,
      is_dry_run,
      ...(resolution === undefined ? {} : { resolution }),
      ...(auto_update === undefined ? {} : { auto_update }),
      changes: null,
      estimate: null,
      usage: noUsage,
      updated_at: null,
    },
  });
  if (!created)
    throw new AppError(
      'CONFLICT',
      `You have a graph named '${facts.name}': ${graph.id}. Update it, or remove it first.`,
      {
        target: { type: 'field', name: 'name' },
      },
    );
  return startGraph({ store, engine }, graph);
}

async function followFlow(
  deps: Pick<GraphsDeps, 'store' | 'engine'>,
  newGraph: NewCorpusGraph,
): Promise<string | undefined> {
  const { name, source, given, limit, resolution, auto_update, template, options, provider_config } = newGraph;
  const known = await deps.store.get(deriveCorpusId(newGraph));
  if (!known) return (await submitCorpus(deps, newGraph)).id;
  // A set that was deleted and written again has another id.
  if (known.source.document_set_id !== source.document_set_id && known.source.name !== source.name)
    throw new AppError(
      'CONFLICT',
      `The graph '${name}' is of the document set '${known.source.name}', not of '${source.name}'. Give it another name, or remove it first.`,
    );
  await deps.store.adopt(known.id, {
    source,
    template,
    options,
    limit,
    corpusTemplate: formatTemplate(given),
    ...(provider_config === undefined ? {} : { provider_config }),
    ...(resolution === undefined ? {} : { resolution }),
    // The owner may have switched it off.
    ...(known.corpus?.auto_update === undefined ? { auto_update } : {}),
  });
  return undefined;
}

/** Derived from the name, which is therefore unique among the graphs of an owner. */
const deriveCorpusId = ({ owner, name }: Pick<NewCorpusGraph, 'owner' | 'name'>) => deriveId(owner, `name ${name}`);

const formatTemplate = (given: string | object) => JSON.stringify({ template: given });

/** Starts the update of a queued graph. A record without a workflow would stay QUEUED, so the graph fails if that is impossible. */
async function startGraph(
  { store, engine }: Pick<GraphsDeps, 'store' | 'engine'>,
  graph: GraphRecord,
): Promise<GraphRecord> {
  try {
    await engine.start(graph);
    return graph;
  } catch (error) {
    const { code, message } = asAppError(error);
    await store.end(graph.id, { state: 'FAILED', error: { code, message } }).catch(() => undefined);
    throw error;
  }
}

function hashParts(...parts: unknown[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** A UUID derived from owner and key. */
function deriveId(owner: string, key: string): string {
  const hash = hashParts('graph', owner, key);
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(18, 20),
    hash.slice(20, 32),
  ].join('-');
}
