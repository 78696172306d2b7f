import type { CorpusChanges, CorpusEstimate, CorpusLimit, CorpusUsage } from '../../model/graph/corpus';
import { type GraphFacts, type GraphState } from '../../model/graph/graph-build';
import type { ResolutionMode } from '../../model/graph/pairs';
import type { GraphOptions } from '../../model/graph/wire';
import type { ResourceAsker } from '../document-set/document-sets-store';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import type { SealedCollection } from '../storage/sealing/rotation';

/** The record of a graph, for the API and the worker. Source and template are in the files store. */
export interface GraphRecord {
  id: string;
  owner: string;
  /** Groups of the owner at the request; they decide about shared connections. */
  owner_groups?: string[];
  state: GraphState;
  source: GraphSource;
  /** Format of the stored source. */
  source_type: 'document' | 'markdown';
  /** Name of the template's root. */
  template: string;
  options: Omit<GraphOptions, 'provider_config'> & { model_id?: string };
  /**
   * JSON text of the `provider_config`. It may contain an API key, so it is deleted when the graph has ended and never returned.
   */
  provider_config?: string;
  /** Number of chunks that a model has finished. */
  chunks: number;
  facts: GraphFacts | null;
  error: { code: string; message: string } | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** Hash of the request. Set when there is an idempotency key. */
  request_hash?: string;
  /** Absent in records of earlier versions, and where Temporal must not contain names. */
  workflow_id?: string;
  /** Set for a graph of a corpus: unique among the graphs of its owner. */
  name?: string;
  /** Further users who may query a corpus graph; each sees the facts of documents that they may read. */
  readers?: string[];
  corpus?: CorpusRecord;
}

/** The state of a corpus graph between its updates. The state of the record is that of the latest update. */
export interface CorpusRecord {
  /** JSON text with a member `template`. */
  template: string;
  /** Number of the latest update, from 1. */
  update: number;
  /** When the latest update was requested. Its workflow is started shortly after. */
  queued_at: string;
  limit: CorpusLimit | null;
  /** The latest update only plans. */
  is_dry_run: boolean;
  /** How nodes that mean the same thing are found; absent means not at all. */
  resolution?: ResolutionMode;
  /** Runs that write its document set are followed by an update. */
  auto_update?: boolean;
  /** When a run changed the set; absent once an update is queued. */
  stale_since?: string;
  /** Null until the latest update is planned. */
  changes: CorpusChanges | null;
  estimate: CorpusEstimate | null;
  /** The usage of the latest update. */
  usage: CorpusUsage;
  /** When the graph was last brought up to date. */
  updated_at: string | null;
}

/** Settings of a graph of a corpus that may change. */
export interface CorpusSettings {
  readers?: string[];
  resolution?: ResolutionMode;
  auto_update?: boolean;
}

/**
 * What a flow says about the graph that it names. A limit of null leaves the one that the graph has, and so does an absent
 * `resolution` or `auto_update`.
 */
export type FlowSettings = Pick<GraphRecord, 'source' | 'template' | 'options' | 'provider_config'> &
  Pick<CorpusRecord, 'limit' | 'resolution' | 'auto_update'> & {
    /** As in the corpus record. */
    corpusTemplate: string;
  };

/** Origin of the source. */
export interface GraphSource {
  /** Title or file name. */
  name: string;
  document_id?: string;
  /** Set when the document comes from a document set instead of the index. */
  document_set_id?: string;
  task_id?: string;
  document_index?: number;
}

/** How a graph ended. */
export type GraphEnd = Pick<GraphRecord, 'state'> & Partial<Pick<GraphRecord, 'facts' | 'error'>>;

/** Stores the records of graphs. Writes are keyed, so repeating an activity changes nothing. */
export interface GraphStore {
  /** Stores a new graph. When the id exists, returns the existing graph with `created` false. */
  create(graph: GraphRecord): Promise<{ graph: GraphRecord; created: boolean }>;
  get(id: string): Promise<GraphRecord | undefined>;
  /** The ids of the graphs of all owners that were built from one of these documents or from a chunk of it. */
  listIdsByDocuments(documentIds: readonly string[]): Promise<string[]>;
  /** Newest first: the graphs of the asker, or of all users with `everyone`. */
  list(asker: ResourceAsker, query: GraphListQuery): Promise<{ items: GraphRecord[]; total: number }>;
  /** Changes the state from QUEUED to RUNNING. Returns the current graph; undefined when it was deleted. */
  begin(id: string): Promise<GraphRecord | undefined>;
  noteChunks(id: string, chunks: number): Promise<void>;
  /** Ends the graph unless it has already ended. Returns the current graph and whether this call ended it. */
  end(id: string, end: GraphEnd): Promise<{ graph: GraphRecord | undefined; ended: boolean }>;
  /** Sets a finished corpus graph to QUEUED for another update. Undefined if it is not finished, or was removed. */
  queue(id: string, update: Pick<CorpusRecord, 'limit' | 'is_dry_run'>): Promise<GraphRecord | undefined>;
  /** Changes settings of a corpus graph. Undefined if it was removed. */
  change(id: string, settings: CorpusSettings): Promise<GraphRecord | undefined>;
  /** Applies the settings of a flow to a corpus graph. */
  adopt(id: string, settings: FlowSettings): Promise<void>;
  /** Merges values into the corpus of the graph. */
  noteCorpus(id: string, facts: Partial<Pick<CorpusRecord, 'changes' | 'estimate' | 'updated_at'>>): Promise<void>;
  /** Marks the graphs that follow these sets, except those named: their sets have changed. */
  noteStale(setIds: readonly string[], except?: readonly string[]): Promise<void>;
  /** Up to `limit` finished graphs whose sets have changed. */
  listStale(limit: number): Promise<GraphRecord[]>;
  addUsage(id: string, usage: CorpusUsage): Promise<void>;
  remove(id: string): Promise<void>;
  /** Up to `limit` unfinished graphs created before `before`, oldest first. */
  listOpen(before: string, limit: number, after?: string): Promise<GraphRecord[]>;
  /** Up to `limit` graphs that ended before `before`. Graphs of a corpus do not expire. */
  listEnded(before: string, limit: number): Promise<GraphRecord[]>;
}

/** Filter of graphs; with `about`, graphs of the document, and graphs of the sets. */
export interface GraphListQuery {
  limit: number;
  offset: number;
  state?: GraphState;
  about?: { documentId: string; setIds: readonly string[] };
}

type Stored = Omit<GraphRecord, 'id'> & { _id: string };

/** The usage of an update before it begins. */
export const noUsage: CorpusUsage = { model_calls: 0, input_tokens: 0, output_tokens: 0 };

const openStates: GraphState[] = ['QUEUED', 'RUNNING'];

/** The encrypted members of stored graphs. */
export const sealedGraphs: SealedCollection = {
  collection: 'graphs',
  fields: { provider_config: 'json' },
  formatPlace: ({ _id }) => formatPlace(_id),
};

function formatPlace(id: string): string {
  return `graphs/${id}`;
}

/** Stores the records in MongoDB. */
export function createGraphStore(mongo: Mongo): GraphStore {
  return new MongoGraphStore(mongo);
}

/**
 * Graphs of the document or of a chunk of it. The id of a chunk is the id of the document, `_` and a number; '`'
 * follows `_`.
 */
function createDocumentFilter(id: string) {
  return { $or: [{ 'source.document_id': id }, { 'source.document_id': { $gte: `${id}_`, $lt: `${id}\`` } }] };
}

function createAboutFilter({ documentId, setIds }: NonNullable<GraphListQuery['about']>) {
  const corpora = { corpus: { $exists: true }, 'source.document_set_id': { $in: [...setIds] } };
  return { $or: [...createDocumentFilter(documentId).$or, corpora] };
}

class MongoGraphStore implements GraphStore {
  private readonly graphs;
  private readonly whenReady;
  private readonly unseal = (stored: Stored): GraphRecord => {
    const graph = toGraphRecord(stored);
    const text = graph.provider_config;
    if (text === undefined) return graph;
    return {
      ...graph,
      provider_config: JSON.stringify(this.mongo.sealer.open(JSON.parse(text), formatPlace(graph.id))),
    };
  };

  constructor(private readonly mongo: Mongo) {
    this.graphs = mongo.collection<Stored>('graphs');
    this.whenReady = createWhenReady(async () => {
      await this.graphs.createIndex({ owner: 1, created_at: -1 });
      await this.graphs.createIndex({ state: 1, created_at: 1 });
      await this.graphs.createIndex({ ended_at: 1 });
      await this.graphs.createIndex({ 'source.document_set_id': 1 });
    });
  }

  create({ id, ...graph }: GraphRecord) {
    return this.whenReady(async () => {
      try {
        await this.graphs.insertOne({ _id: id, ...graph, ...this.seal(id, graph.provider_config) });
        return { graph: { id, ...graph }, created: true };
      } catch (error) {
        const earlier = isDuplicate(error) ? await this.findGraph(id) : undefined;
        if (!earlier) throw error;
        return { graph: earlier, created: false };
      }
    });
  }

  get(id: string) {
    return guard(() => this.findGraph(id));
  }

  listIdsByDocuments(documentIds: readonly string[]) {
    return this.whenReady(async () => {
      const ids = new Set<string>();
      for (const id of documentIds) {
        for (const graph of await this.graphs.find(createDocumentFilter(id), { projection: { _id: 1 } }).toArray())
          ids.add(graph._id);
      }
      return [...ids];
    });
  }

  list({ user, everyone }: ResourceAsker, { limit, offset, state, about }: GraphListQuery) {
    return this.whenReady(async () => {
      const own = { $or: [{ owner: user.username }, { readers: user.username }] };
      const filter = {
        $and: [
          ...(everyone ? [] : [own]),
          ...(about ? [createAboutFilter(about)] : []),
          ...(state ? [{ state }] : []),
          {},
        ],
      };
      const [items, total] = await Promise.all([
        this.graphs.find(filter).sort({ created_at: -1, _id: 1 }).skip(offset).limit(limit).toArray(),
        this.graphs.countDocuments(filter),
      ]);
      return { items: items.map(this.unseal), total };
    });
  }

  begin(id: string) {
    return guard(async () => {
      const change = { $set: { state: 'RUNNING' as const, started_at: new Date().toISOString() } };
      await this.graphs.updateOne({ _id: id, state: 'QUEUED' }, change);
      return this.findGraph(id);
    });
  }

  noteChunks(id: string, chunks: number) {
    return guard(async () => void (await this.graphs.updateOne({ _id: id }, { $max: { chunks } })));
  }

  end(id: string, end: GraphEnd) {
    return guard(async () => {
      const openGraph = { _id: id, state: { $in: openStates } };
      const change = { $set: { ...end, ended_at: new Date().toISOString() } };
      // In the same write, so that no ended graph holds a key. A graph of a corpus keeps it: its next update needs the model.
      const single = await this.graphs.updateOne(
        { ...openGraph, corpus: { $exists: false } },
        { ...change, $unset: { provider_config: '' } },
      );
      const corpus = await this.graphs.updateOne({ ...openGraph, corpus: { $exists: true } }, change);
      return { graph: await this.findGraph(id), ended: single.modifiedCount + corpus.modifiedCount > 0 };
    });
  }

  queue(id: string, { limit, is_dry_run }: Pick<CorpusRecord, 'limit' | 'is_dry_run'>) {
    return guard(async () => {
      const queued = await this.graphs.updateOne(
        { _id: id, corpus: { $exists: true }, state: { $nin: openStates } },
        {
          $set: {
            state: 'QUEUED',
            error: null,
            started_at: null,
            ended_at: null,
            'corpus.queued_at': new Date().toISOString(),
            'corpus.limit': limit,
            'corpus.is_dry_run': is_dry_run,
            'corpus.changes': null,
            'corpus.estimate': null,
            'corpus.usage': noUsage,
          },
          $unset: { 'corpus.stale_since': '' },
          $inc: { 'corpus.update': 1 },
        },
      );
      return queued.modifiedCount > 0 ? this.findGraph(id) : undefined;
    });
  }

  change(id: string, { readers, resolution, auto_update }: CorpusSettings) {
    const set = {
      ...(readers === undefined ? {} : { readers }),
      ...(resolution === undefined ? {} : { 'corpus.resolution': resolution }),
      ...(auto_update === undefined ? {} : { 'corpus.auto_update': auto_update }),
    };
    return guard(async () => {
      const isChanged = Object.keys(set).length > 0;
      if (isChanged) await this.graphs.updateOne({ _id: id, corpus: { $exists: true } }, { $set: set });
      return this.findGraph(id);
    });
  }

  adopt(id: string, { corpusTemplate, limit, resolution, auto_update, provider_config, ...settings }: FlowSettings) {
    const set = {
      ...settings,
      ...this.seal(id, provider_config),
      'corpus.template': corpusTemplate,
      ...(limit === null ? {} : { 'corpus.limit': limit }),
      'corpus.is_dry_run': false,
      ...(resolution === undefined ? {} : { 'corpus.resolution': resolution }),
      ...(auto_update === undefined ? {} : { 'corpus.auto_update': auto_update }),
    };
    const unset = provider_config === undefined ? { $unset: { provider_config: '' as const } } : {};
    return guard(async () => {
      await this.graphs.updateOne({ _id: id, corpus: { $exists: true } }, { $set: set, ...unset });
    });
  }

  noteCorpus(id: string, facts: Partial<Pick<CorpusRecord, 'changes' | 'estimate' | 'updated_at'>>) {
    const set = Object.fromEntries(Object.entries(facts).map(([name, value]) => [`corpus.${name}`, value]));
    return guard(async () => void (await this.graphs.updateOne({ _id: id }, { $set: set })));
  }

  noteStale(setIds: readonly string[], except: readonly string[] = []) {
    const following = {
      _id: { $nin: [...except] },
      'source.document_set_id': { $in: [...setIds] },
      'corpus.auto_update': true,
      // The owner has only requested an estimate.
      'corpus.is_dry_run': false,
    };
    const change = { $set: { 'corpus.stale_since': new Date().toISOString() } };
    return guard(async () => void (await this.graphs.updateMany(following, change)));
  }

  listStale(limit: number) {
    return guard(async () => {
      const waiting = {
        'corpus.auto_update': true,
        'corpus.stale_since': { $exists: true },
        state: { $nin: openStates },
      };
      return (await this.graphs.find(waiting).limit(limit).toArray()).map(this.unseal);
    });
  }

  addUsage(id: string, usage: CorpusUsage) {
    const more = Object.fromEntries(Object.entries(usage).map(([name, value]) => [`corpus.usage.${name}`, value]));
    return guard(async () => void (await this.graphs.updateOne({ _id: id }, { $inc: more })));
  }

  remove(id: string) {
    return guard(async () => void (await this.graphs.deleteOne({ _id: id })));
  }

  listOpen(before: string, limit: number, after = '') {
    return guard(async () => {
      const filter = { state: { $in: openStates }, created_at: { $lt: before, $gt: after } };
      return (await this.graphs.find(filter).sort({ created_at: 1 }).limit(limit).toArray()).map(this.unseal);
    });
  }

  listEnded(before: string, limit: number) {
    return guard(async () => {
      const found = await this.graphs
        .find({ ended_at: { $ne: null, $lt: before }, corpus: { $exists: false } })
        .limit(limit)
        .toArray();
      return found.map(this.unseal);
    });
  }

  private seal(id: string, text: string | undefined) {
    return text === undefined
      ? {}
      : { provider_config: JSON.stringify(this.mongo.sealer.seal(JSON.parse(text), formatPlace(id))) };
  }

  private async findGraph(id: string) {
    const stored = await this.graphs.findOne({ _id: id });
    return stored ? this.unseal(stored) : undefined;
  }
}

function toGraphRecord({ _id: id, ...graph }: Stored): GraphRecord {
  return { id, ...graph };
}
