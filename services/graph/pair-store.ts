import { hash } from 'node:crypto';
import type { Filter } from 'mongodb';
import { type EntityPair, orderPair, type PairDecider, pairThresholds } from '../../model/graph/pairs';
import { iterateBatches } from '../../model/lists/batches';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';

/** Selects pairs. */
export interface PairQuery {
  state?: EntityPair['state'];
  by?: PairDecider;
  label?: string;
}

/** Nodes of a graph that may mean the same thing, and the decisions about them. Every write may be repeated. */
export interface PairStore {
  /** Pairs of these nodes that are decided, or that may count as decided for some readers. */
  listDecided(graphId: string, nodes: readonly string[]): Promise<EntityPair[]>;
  /** True if any pair of the graph is decided to be the same, or may count as decided for some readers. */
  hasMerges(graphId: string): Promise<boolean>;
  /** Pairs in a fixed order, with the key that the next page follows. */
  list(graphId: string, query: PairQuery, page: { after: string; limit: number }): Promise<{ key: string; pair: EntityPair }[]>; // prettier-ignore
  /** The number of pairs. */
  count(graphId: string, query: PairQuery): Promise<number>;
  /**
   * Stores the decision of the rules about a pair, unless the model or a person has decided; without a state, it stays open.
   */
  propose(graphId: string, pair: Omit<EntityPair, 'by' | 'state' | 'decidedAt' | 'basis'> & Partial<Pick<EntityPair, 'state'>>): Promise<void>; // prettier-ignore
  /** Decides a pair. The model does not change decisions of people. */
  decide(graphId: string, pair: Omit<EntityPair, 'decidedAt'>): Promise<void>;
  /** Removes the pairs of these nodes, including decisions of people. */
  removeNodes(graphId: string, nodes: readonly string[]): Promise<void>;
  /** Reopens what the model decided with one of these documents, so that it is asked again. */
  reopen(graphId: string, documentIds: readonly string[]): Promise<void>;
  removeGraph(graphId: string): Promise<void>;
}

interface StoredPair {
  /** `<graph id>/<hash of both node ids>`. */
  _id: string;
  graph: string;
  one: string;
  other: string;
  label: string;
  state: EntityPair['state'];
  by: PairDecider;
  score: number;
  potential?: number;
  basis?: string[];
  decided_at: string;
}

const pageSize = 1_000;

const mayBeSame = [{ state: 'same' }, { potential: { $gte: pairThresholds.certain } }] as const;
const mayBeDecided = [...mayBeSame, { state: 'different' }] as const;

/** Stores the pairs in MongoDB. */
export function createPairStore(mongo: Pick<Mongo, 'collection'>): PairStore {
  return new MongoPairStore(mongo);
}

class MongoPairStore implements PairStore {
  private readonly pairs;
  private readonly whenReady;

  constructor(mongo: Pick<Mongo, 'collection'>) {
    this.pairs = mongo.collection<StoredPair>('graph_pairs');
    this.whenReady = createWhenReady(async () => {
      await this.pairs.createIndex({ graph: 1, one: 1 });
      await this.pairs.createIndex({ graph: 1, other: 1 });
      await this.pairs.createIndex({ graph: 1, state: 1, _id: 1 });
      await this.pairs.createIndex({ graph: 1, potential: 1 });
      await this.pairs.createIndex({ graph: 1, basis: 1 });
    });
  }

  listDecided(graph: string, nodes: readonly string[]) {
    return guard(async () => {
      const pairs = new Map<string, EntityPair>();
      await this.inPages(nodes, async (some) => {
        for await (const stored of this.pairs.find({ graph, ...some, $or: [...mayBeDecided] }))
          pairs.set(stored._id, buildPair(stored));
      });
      return [...pairs.values()];
    });
  }

  hasMerges(graph: string) {
    return this.whenReady(
      async () => (await this.pairs.findOne({ graph, $or: [...mayBeSame] }, { projection: { _id: 1 } })) !== null,
    );
  }

  count(graph: string, query: PairQuery) {
    return this.whenReady(() => this.pairs.countDocuments({ graph, ...query }));
  }

  list(graph: string, { state, by, label }: PairQuery, { after, limit }: { after: string; limit: number }) {
    return this.whenReady(async () => {
      const filter: Filter<StoredPair> = {
        graph,
        _id: { $gt: after },
        ...(state === undefined ? {} : { state }),
        ...(by === undefined ? {} : { by }),
        ...(label === undefined ? {} : { label }),
      };
      const found = await this.pairs.find(filter).sort({ _id: 1 }).limit(limit).toArray();
      return found.map((stored) => ({ key: stored._id, pair: buildPair(stored) }));
    });
  }

  propose(graph: string, { state, ...pair }: Parameters<PairStore['propose']>[1]) {
    return this.whenReady(async () => {
      const _id = buildId(graph, pair);
      if (state === undefined) {
        await this.pairs.deleteOne({ _id, by: 'rules' });
        return;
      }
      const earlier = await this.pairs.findOne({ _id });
      if (earlier && (earlier.by !== 'rules' || isEqual(earlier, { ...pair, state }))) return;
      const change = { $set: { graph, ...pair, state, decided_at: new Date().toISOString() } };
      await this.pairs.updateOne({ _id, by: 'rules' }, change, { upsert: true }).catch(ignoreDuplicate);
    });
  }

  decide(graph: string, { by, ...pair }: Omit<EntityPair, 'decidedAt'>) {
    return this.whenReady(async () => {
      const _id = buildId(graph, pair);
      const change = { $set: { graph, ...pair, by, decided_at: new Date().toISOString() } };
      if (by === 'person') await this.pairs.updateOne({ _id }, change, { upsert: true });
      else await this.pairs.updateOne({ _id, by: { $ne: 'person' } }, change);
    });
  }

  removeNodes(graph: string, nodes: readonly string[]) {
    return guard(() => this.inPages(nodes, (some) => this.pairs.deleteMany({ graph, ...some })));
  }

  reopen(graph: string, documentIds: readonly string[]) {
    return this.whenReady(async () => {
      for (const batch of iterateBatches(documentIds, pageSize)) {
        const basis = { $in: batch };
        const change = { $set: { by: 'rules' as const, state: 'open' as const }, $unset: { basis: '' as const } };
        await this.pairs.updateMany({ graph, by: 'model', basis }, change);
      }
    });
  }

  removeGraph(graph: string) {
    return guard(async () => void (await this.pairs.deleteMany({ graph })));
  }

  /** One index each: a condition with $or would read all pairs of the graph. */
  private async inPages(ids: readonly string[], work: (some: Filter<StoredPair>) => Promise<unknown>): Promise<void> {
    await this.whenReady();
    for (const part of iterateBatches(ids, pageSize)) {
      const some = { $in: part };
      await work({ one: some });
      await work({ other: some });
    }
  }
}

// A person decided the pair at the same moment.
function ignoreDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}

function buildId(graph: string, { one, other }: Pick<EntityPair, 'one' | 'other'>): string {
  return `${graph}/${hash('sha256', orderPair(one, other).join('\u0000')).slice(0, 32)}`;
}

const isEqual = (earlier: StoredPair, pair: Pick<EntityPair, 'state' | 'score' | 'potential'>) =>
  earlier.state === pair.state && earlier.score === pair.score && earlier.potential === pair.potential;

function buildPair({ graph: _graph, _id, decided_at, ...pair }: StoredPair): EntityPair {
  return { ...pair, decidedAt: decided_at };
}
