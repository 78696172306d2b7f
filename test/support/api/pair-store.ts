import { type EntityPair, orderedPair } from '../../../model/graph/pairs';
import type { PairStore } from '../../../services/graph/pair-store';

/** Pairs of nodes in memory. */
export function memoryPairStore(): PairStore {
  const graphs = new Map<string, Map<string, EntityPair>>();
  const of = (id: string) => {
    const pairs = graphs.get(id) ?? new Map<string, EntityPair>();
    graphs.set(id, pairs);
    return pairs;
  };
  const getKey = (id: string, { one, other }: Pick<EntityPair, 'one' | 'other'>) =>
    `${id}/${orderedPair(one, other).join(' ')}`;
  const decidedAt = '2026-01-01T00:00:00.000Z';
  return {
    decided: async (id, nodes) =>
      [...of(id).values()].filter(
        ({ one, other, state }) => state !== 'open' && (nodes.includes(one) || nodes.includes(other)),
      ),
    hasMerges: async (id) => [...of(id).values()].some(({ state }) => state === 'same'),
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
    removeGraph: async (id) => void graphs.delete(id),
  };
}
