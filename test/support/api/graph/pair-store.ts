import { type EntityPair, orderPair, pairThresholds } from '../../../../model/graph/pairs';
import type { PairStore } from '../../../../services/graph/pair-store';

/** Pairs of nodes in memory. */
export function memoryPairStore(): PairStore {
  const graphs = new Map<string, Map<string, EntityPair>>();
  const of = (id: string) => {
    const pairs = graphs.get(id) ?? new Map<string, EntityPair>();
    graphs.set(id, pairs);
    return pairs;
  };
  const getKey = (id: string, { one, other }: Pick<EntityPair, 'one' | 'other'>) =>
    `${id}/${orderPair(one, other).join(' ')}`;
  const decidedAt = '2026-01-01T00:00:00.000Z';
  const mayBeSame = ({ state, potential = 0 }: EntityPair) => state === 'same' || potential >= pairThresholds.certain;
  return {
    listDecided: async (id, nodes) =>
      [...of(id).values()].filter(
        (pair) =>
          (pair.state === 'different' || mayBeSame(pair)) && (nodes.includes(pair.one) || nodes.includes(pair.other)),
      ),
    hasMerges: async (id) => [...of(id).values()].some(mayBeSame),
    count: async (id, { state, by, label }) =>
      [...of(id).values()].filter(
        (pair) =>
          (state === undefined || pair.state === state) &&
          (by === undefined || pair.by === by) &&
          (label === undefined || pair.label === label),
      ).length,
    list: async (id, { state, by, label }, { after, limit }) =>
      [...of(id)]
        .filter(([key]) => key > after)
        .filter(([, pair]) => state === undefined || pair.state === state)
        .filter(([, pair]) => by === undefined || pair.by === by)
        .filter(([, pair]) => label === undefined || pair.label === label)
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .slice(0, limit)
        .map(([key, pair]) => ({ key, pair })),
    async propose(id, { state, ...pair }) {
      const earlier = of(id).get(getKey(id, pair));
      if (earlier && earlier.by !== 'rules') return;
      if (state === undefined) of(id).delete(getKey(id, pair));
      else of(id).set(getKey(id, pair), { ...pair, state, by: 'rules', decidedAt });
    },
    async decide(id, pair) {
      const earlier = of(id).get(getKey(id, pair));
      if (pair.by !== 'person' && (!earlier || earlier.by === 'person')) return;
      of(id).set(getKey(id, pair), { ...pair, decidedAt });
    },
    async removeNodes(id, nodes) {
      for (const [key, { one, other }] of of(id)) if (nodes.includes(one) || nodes.includes(other)) of(id).delete(key);
    },
    async reopen(id, documentIds) {
      for (const [key, { basis, ...pair }] of of(id))
        if (pair.by === 'model' && basis?.some((document) => documentIds.includes(document)))
          of(id).set(key, { ...pair, by: 'rules', state: 'open' });
    },
    removeGraph: async (id) => void graphs.delete(id),
  };
}
