import { hash, randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type {
  Contribution,
  EdgeFact,
  EdgeQuery,
  FactPassage,
  GraphView,
  NodeCondition,
  NodeFact,
} from '../../model/graph/facts';
import { iterateBatches } from '../../model/lists/batches';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { insertAll, readPages, pageSize } from './fact-pages';
import { createPairStore, type PairStore } from './pair-store';

/** A document of a corpus graph. */
export interface CorpusDocument {
  documentId: string;
  name: string;
  /** Hash of everything that its facts depend on: its rows, the template, and the options. */
  signature: string;
  /** `empty` if the document contains nothing that the template describes. */
  state: 'done' | 'empty' | 'failed';
  error?: { code: string; message: string };
}

/** Which documents of a graph are wanted. */
export interface CorpusPageQuery {
  state?: CorpusDocument['state'];
  ids?: readonly string[];
  after: string;
  limit: number;
}

/** The documents that at least one reader may read. */
export type ReadableDocuments = (documentIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The facts of corpus graphs, each kept with the document that states it. Every write may be repeated. */
export interface CorpusStore {
  /** Which nodes mean the same thing. Gone with the graph, and with documents that are forgotten. */
  pairs: PairStore;
  /** The documents of a graph, in no particular order. */
  iterateDocuments(graphId: string): AsyncIterable<CorpusDocument>;
  findDocument(graphId: string, documentId: string): Promise<CorpusDocument | undefined>;
  /** Up to `limit` documents that follow `after`, in order of id: all, those in a state, or those among `ids`. */
  listDocuments(graphId: string, query: CorpusPageQuery): Promise<CorpusDocument[]>;
  /** Replaces the facts of a document. Readers see the earlier facts until all new ones are stored. */
  put(graphId: string, document: CorpusDocument, facts: Contribution): Promise<void>;
  /** Removes documents with their facts. */
  remove(graphId: string, documentIds: readonly string[]): Promise<void>;
  /** Removes documents from every graph; returns their number. */
  forget(documentIds: readonly string[]): Promise<number>;
  removeGraph(graphId: string): Promise<void>;
  /** Up to `limit` documents whose nodes were not yet compared with others. */
  listUncompared(graphId: string, limit: number): Promise<string[]>;
  /** The facts about nodes that the document states now, with the call that records that they were compared. */
  compare(graphId: string, documentId: string): Promise<{ nodes: NodeFact[]; done: () => Promise<void> }>;
  /** The facts of a graph for a reader who may read only some documents. */
  openView(graphId: string, readable: ReadableDocuments): GraphView;
}

interface StoredDocument {
  /** `<graph id>/<document id>`. */
  _id: string;
  graph: string;
  document_id: string;
  name: string;
  signature: string;
  state: CorpusDocument['state'];
  error?: { code: string; message: string };
  /** Facts of the document with another value are leftovers of a write that was interrupted. */
  contribution: string;
  /** The nodes of this contribution were compared with others. */
  is_compared?: boolean;
}

interface StoredFact {
  /** `<contribution>/<hash of the node's id or of the edge's ends and label>`. */
  _id: string;
  graph: string;
  document_id: string;
  contribution: string;
  label: string;
  attributes: string;
  passages: FactPassage[];
}
interface StoredNode extends StoredFact {
  node: string;
  keys: string[];
  text: string;
  blocks: string[];
  words: string[];
}
interface StoredEdge extends StoredFact {
  source: string;
  target: string;
}

/** Stores the facts in MongoDB. */
export function createCorpusStore(mongo: Pick<Mongo, 'collection'>): CorpusStore {
  return new MongoCorpusStore(mongo);
}

class MongoCorpusStore implements CorpusStore {
  readonly pairs;
  private readonly stored;
  private readonly nodes;
  private readonly edges;
  private readonly whenReady;

  constructor(mongo: Pick<Mongo, 'collection'>) {
    this.pairs = createPairStore(mongo);
    this.stored = mongo.collection<StoredDocument>('graph_documents');
    this.nodes = mongo.collection<StoredNode>('graph_nodes');
    this.edges = mongo.collection<StoredEdge>('graph_edges');
    this.whenReady = createWhenReady(async () => {
      await this.stored.createIndex({ graph: 1, document_id: 1 });
      await this.stored.createIndex({ document_id: 1 });
      await this.nodes.createIndex({ graph: 1, node: 1 });
      await this.nodes.createIndex({ graph: 1, label: 1, node: 1 });
      await this.nodes.createIndex({ graph: 1, keys: 1, node: 1 });
      await this.nodes.createIndex({ graph: 1, blocks: 1, node: 1 });
      await this.nodes.createIndex({ graph: 1, words: 1, node: 1 });
      await this.nodes.createIndex({ graph: 1, document_id: 1 });
      await this.edges.createIndex({ graph: 1, source: 1 });
      await this.edges.createIndex({ graph: 1, target: 1 });
      await this.edges.createIndex({ graph: 1, document_id: 1 });
      await this.nodes.createIndex({ contribution: 1 });
      await this.edges.createIndex({ contribution: 1 });
    });
  }

  async *iterateDocuments(graphId: string): AsyncGenerator<CorpusDocument> {
    await guard(this.whenReady);
    for await (const stored of this.stored.find({ graph: graphId })) yield buildDocument(stored);
  }

  findDocument(graphId: string, documentId: string) {
    return guard(async () => {
      const stored = await this.stored.findOne({ _id: `${graphId}/${documentId}` });
      return stored ? buildDocument(stored) : undefined;
    });
  }

  listDocuments(graphId: string, { state, ids, after, limit }: CorpusPageQuery) {
    return this.whenReady(async () => {
      const filter: Filter<StoredDocument> = {
        graph: graphId,
        document_id: { $gt: after, ...(ids ? { $in: [...ids] } : {}) },
        ...(state === undefined ? {} : { state }),
      };
      const found = await this.stored.find(filter).sort({ document_id: 1 }).limit(limit).toArray();
      return found.map(buildDocument);
    });
  }

  put(graphId: string, document: CorpusDocument, facts: Contribution) {
    return this.whenReady(async () => {
      const { documentId, name, signature, state, error } = document;
      const own = { graph: graphId, document_id: documentId };
      const contribution = randomUUID();
      const insert = () => this.insert({ ...own, contribution }, facts);
      await insert();
      const _id = `${graphId}/${documentId}`;
      const record = { ...own, name, signature, state, contribution, ...(error ? { error } : {}) };
      await this.stored.replaceOne({ _id }, record, { upsert: true });
      await this.clear({ ...own, contribution: { $ne: contribution } });
      // Another attempt of the same activity may have cleared facts before the record named them.
      if ((await this.count({ contribution })) < facts.nodes.length + facts.edges.length) await insert();
    });
  }

  remove(graphId: string, documentIds: readonly string[]) {
    return guard(async () => {
      for (const batch of iterateBatches(documentIds, pageSize)) {
        const some = { graph: graphId, document_id: { $in: batch } };
        // A document without a record has no facts, even if some remain.
        await this.stored.deleteMany(some);
        await this.clear(some);
      }
      await this.pairs.reopen(graphId, documentIds);
    });
  }

  forget(documentIds: readonly string[]) {
    return this.whenReady(async () => {
      const found = await this.stored.find({ document_id: { $in: [...documentIds] } }).toArray();
      for (const { graph, document_id } of found) {
        // First, because a repeated call finds the document only while it has a record.
        await this.pairs.removeNodes(graph, await this.findNodesOnlyIn(graph, document_id));
        await this.remove(graph, [document_id]);
      }
      return found.length;
    });
  }

  removeGraph(graphId: string) {
    return guard(async () => {
      await this.stored.deleteMany({ graph: graphId });
      await this.clear({ graph: graphId });
      await this.pairs.removeGraph(graphId);
    });
  }

  listUncompared(graphId: string, limit: number) {
    return this.whenReady(async () => {
      const open = { graph: graphId, is_compared: { $ne: true } };
      const found = await this.stored
        .find(open, { projection: { document_id: 1 } })
        .limit(limit)
        .toArray();
      return found.map(({ document_id }) => document_id);
    });
  }

  compare(graphId: string, documentId: string) {
    return guard(async () => {
      const _id = `${graphId}/${documentId}`;
      const contribution = (await this.stored.findOne({ _id }))?.contribution ?? '';
      const nodes = await this.nodes.find({ graph: graphId, document_id: documentId, contribution }).toArray();
      const done = async () =>
        void (await this.stored.updateOne({ _id, contribution }, { $set: { is_compared: true } }));
      return { nodes: nodes.map(toNodeFact), done: () => guard(done) };
    });
  }

  openView(graphId: string, readable: ReadableDocuments): GraphView {
    const visible = this.createVisibilityFilter(graphId, readable);
    return {
      nodes: (ids) =>
        this.whenReady(async () => {
          const facts: NodeFact[] = [];
          for (const part of iterateBatches(ids, pageSize)) {
            const node = { $in: part };
            facts.push(...(await visible(await this.nodes.find({ graph: graphId, node }).toArray())).map(toNodeFact));
          }
          return facts;
        }),
      edges: (ids, query) => guard(() => this.findVisibleEdges(graphId, visible, ids, query)),
      find: (condition, page) => guard(() => this.findVisibleNodes(graphId, visible, condition, page)),
    };
  }

  /** Creates a filter for facts of readable documents in their current version. Asks once for each document. */
  private createVisibilityFilter(graphId: string, readable: ReadableDocuments) {
    const current = new Map<string, string | undefined>();
    return async <T extends StoredFact>(facts: readonly T[]): Promise<T[]> => {
      const unknown = [...new Set(facts.map(({ document_id }) => document_id))].filter((id) => !current.has(id));
      for (const ids of iterateBatches(unknown, pageSize)) {
        const allowed = await readable(ids);
        const records = await this.stored.find({ _id: { $in: ids.map((id) => `${graphId}/${id}`) } }).toArray();
        const contributions = new Map(records.map((record) => [record.document_id, record.contribution]));
        for (const id of ids) current.set(id, allowed.has(id) ? contributions.get(id) : undefined);
      }
      return facts.filter(({ document_id, contribution }) => current.get(document_id) === contribution);
    };
  }

  private async findVisibleEdges(
    graphId: string,
    visible: Visible,
    ids: readonly string[],
    { direction, label, limit }: EdgeQuery,
  ): Promise<{ facts: EdgeFact[]; isCut: boolean }> {
    await this.whenReady();
    const end = direction === 'out' ? 'source' : 'target';
    const facts: EdgeFact[] = [];
    for (const part of iterateBatches(ids, pageSize)) {
      const filter: Filter<StoredEdge> = {
        graph: graphId,
        [end]: { $in: part },
        ...(label === undefined ? {} : { label }),
      };
      for await (const page of readPages(this.edges.find(filter))) {
        facts.push(...(await visible(page)).map(toEdgeFact));
        if (facts.length > limit) return { facts: facts.slice(0, limit), isCut: true };
      }
    }
    return { facts, isCut: false };
  }

  private async findVisibleNodes(
    graphId: string,
    visible: Visible,
    { label, key, text, block, word }: NodeCondition,
    { after, limit }: { after: string; limit: number },
  ): Promise<string[]> {
    await this.whenReady();
    const filter: Filter<StoredNode> = {
      graph: graphId,
      node: { $gt: after },
      ...(label === undefined ? {} : { label }),
      ...(key === undefined ? {} : { keys: key }),
      ...(block === undefined ? {} : { blocks: block }),
      ...(word === undefined ? {} : { words: word }),
      ...(text === undefined ? {} : { text: { $regex: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') } }),
    };
    const projection = { node: 1, document_id: 1, contribution: 1 };
    const found = new Set<string>();
    for await (const page of readPages(this.nodes.find(filter, { projection }).sort({ node: 1 })))
      for (const { node } of await visible(page)) {
        if (found.size >= limit && !found.has(node)) return [...found];
        found.add(node);
      }
    return [...found];
  }

  private async insert(own: Pick<StoredFact, 'graph' | 'document_id' | 'contribution'>, facts: Contribution) {
    const buildFact = (fact: NodeFact | EdgeFact, ...named: string[]): StoredFact => ({
      _id: `${own.contribution}/${hash('sha256', JSON.stringify(named)).slice(0, 32)}`,
      ...own,
      label: fact.label,
      attributes: fact.attributes,
      passages: fact.passages,
    });
    await insertAll(
      this.nodes,
      facts.nodes.map((nodeFact) => {
        const { node, keys, text, blocks = [], words = [] } = nodeFact;
        return { ...buildFact(nodeFact, node), node, keys, text, blocks, words };
      }),
    );
    await insertAll(
      this.edges,
      facts.edges.map((edge) => {
        const { source, target } = edge;
        return { ...buildFact(edge, source, target, edge.label), source, target };
      }),
    );
  }

  /** The nodes that no other document supports. */
  private async findNodesOnlyIn(graph: string, documentId: string): Promise<string[]> {
    const projection = { node: 1 };
    const own = await this.nodes.find({ graph, document_id: documentId }, { projection }).toArray();
    const nodes = [...new Set(own.map(({ node }) => node))];
    const elsewhere = new Set<string>();
    for (const part of iterateBatches(nodes, pageSize)) {
      const others = { graph, node: { $in: part }, document_id: { $ne: documentId } };
      for await (const { node } of this.nodes.find(others, { projection })) elsewhere.add(node);
    }
    return nodes.filter((node) => !elsewhere.has(node));
  }

  private async count(filter: Filter<StoredFact>): Promise<number> {
    const nodes = await this.nodes.countDocuments(filter);
    return nodes + (await this.edges.countDocuments(filter));
  }

  private async clear(filter: Filter<StoredFact>): Promise<void> {
    await this.nodes.deleteMany(filter);
    await this.edges.deleteMany(filter);
  }
}

type Visible = <T extends StoredFact>(facts: readonly T[]) => Promise<T[]>;

function buildDocument({ document_id: documentId, name, signature, state, error }: StoredDocument): CorpusDocument {
  return { documentId, name, signature, state, ...(error ? { error } : {}) };
}

const toNodeFact = ({
  node,
  label,
  document_id,
  attributes,
  passages,
  keys,
  text,
  blocks,
  words,
}: StoredNode): NodeFact => ({
  node,
  label,
  documentId: document_id,
  attributes,
  passages,
  keys,
  text,
  blocks,
  words,
});

const toEdgeFact = ({ source, target, label, document_id, attributes, passages }: StoredEdge): EdgeFact => ({
  source,
  target,
  label,
  documentId: document_id,
  attributes,
  passages,
});
