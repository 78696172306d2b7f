import type { EdgeFact, GraphView, NodeCondition, NodeFact } from '../../model/graph/facts';
import type { EntityPair } from '../../model/graph/pairs';
import { compareCodePoints } from '../core/json-text';
import { matchesFact } from '../corpus/memory-view';

/** The decided pairs that contain one of the nodes. */
export type PairsOf = (ids: readonly string[]) => Promise<readonly EntityPair[]>;

/** More nodes than this are not merged into one. */
const maxMembers = 200;

/**
 * A view in which nodes that are decided to be the same are one, by the smallest of their ids. Only pairs of which the reader may see
 * both nodes count, so a node that the reader may not see changes nothing: no id, no merge. Every id of a merged node finds it.
 */
export function createResolvedView(view: GraphView, pairsOf: PairsOf): GraphView {
  const clusters = createClusters(view, pairsOf);
  return {
    async nodes(ids) {
      const { canonical, facts } = await clusters(ids);
      const representatives = new Set(ids.flatMap((id) => canonical.get(id) ?? []));
      return facts.flatMap((fact): NodeFact[] => {
        const id = canonical.get(fact.node);
        if (id === undefined || !representatives.has(id)) return [];
        return [id === fact.node ? fact : { ...fact, node: id, member: fact.node }];
      });
    },
    async edges(ids, query) {
      const ownClusters = await clusters(ids);
      const representatives = new Set(ids.flatMap((id) => ownClusters.canonical.get(id) ?? []));
      const members = [...ownClusters.canonical].flatMap(([id, canonical]) =>
        representatives.has(canonical) ? [id] : [],
      );
      const { facts, isCut } = await view.edges(members, query);
      const { canonical } = await clusters([...new Set(facts.flatMap(({ source, target }) => [source, target]))]);
      const renamed = facts.map((fact): EdgeFact => {
        const [source, target] = [canonical.get(fact.source) ?? fact.source, canonical.get(fact.target) ?? fact.target];
        return source === fact.source && target === fact.target ? fact : { ...fact, source, target };
      });
      return { facts: renamed, isCut };
    },
    find: (condition, page) => findMerged(view, clusters, condition, page),
  };
}

type Clusters = (ids: readonly string[]) => Promise<{ canonical: Map<string, string>; facts: NodeFact[] }>;

/** Gives each visible node, and the nodes merged with it, the common id, with the facts about them. */
function createClusters(view: GraphView, pairsOf: PairsOf): Clusters {
  return async (ids) => {
    const pairs = await listPairs(pairsOf, ids);
    const named = new Set([...ids, ...pairs.flatMap(({ one, other }) => [one, other])]);
    const facts = await view.nodes([...named]);
    const visible = new Set(facts.map(({ node }) => node));
    return { canonical: mergePairs(visible, pairs), facts };
  };
}

/** The pairs of these nodes, and of the nodes that they are the same as. */
async function listPairs(pairsOf: PairsOf, ids: readonly string[]): Promise<EntityPair[]> {
  const pairs = new Map<string, EntityPair>();
  const seen = new Set(ids);
  const limit = ids.length + maxMembers * Math.max(1, Math.min(ids.length, 50));
  let frontier = [...seen];
  while (frontier.length > 0 && seen.size <= limit) {
    const next = new Set<string>();
    for (const pair of await pairsOf(frontier)) {
      pairs.set(`${pair.one} ${pair.other}`, pair);
      if (pair.state === 'same') for (const id of [pair.one, pair.other]) if (!seen.has(id)) next.add(id);
    }
    for (const id of next) seen.add(id);
    frontier = [...next];
  }
  return [...pairs.values()];
}

/**
 * Joins visible nodes along equal pairs, decisions of people first. A join is skipped if it would combine two nodes that are
 * decided to be different.
 */
export function mergePairs(visible: ReadonlySet<string>, pairs: readonly EntityPair[]): Map<string, string> {
  const seen = pairs.filter(({ one, other }) => visible.has(one) && visible.has(other));
  const different = new Map<string, Set<string>>();
  for (const { one, other, state } of seen)
    if (state === 'different')
      for (const [id, apart] of [
        [one, other],
        [other, one],
      ] as const)
        different.set(id, (different.get(id) ?? new Set<string>()).add(apart));
  const groups = new Map([...visible].map((id) => [id, [id]]));
  const same = seen.filter(({ state }) => state === 'same').sort(compareStrength);
  for (const { one, other } of same) {
    const [left = [], right = []] = [groups.get(one), groups.get(other)];
    if (left === right || left.length + right.length > maxMembers) continue;
    if (left.some((id) => right.some((apart) => different.get(id)?.has(apart)))) continue;
    const joined = [...left, ...right];
    for (const id of joined) groups.set(id, joined);
  }
  const smallest = new Map<string[], string>();
  for (const group of groups.values())
    if (!smallest.has(group))
      smallest.set(
        group,
        group.reduce((lowest, id) => (compareCodePoints(id, lowest) < 0 ? id : lowest)),
      );
  return new Map([...groups].map(([id, group]) => [id, smallest.get(group) ?? id]));
}

// Independent of the order in which pairs are read.
function compareStrength(left: EntityPair, right: EntityPair): number {
  const person = Number(right.by === 'person') - Number(left.by === 'person');
  return (
    person ||
    right.score - left.score ||
    compareCodePoints(left.one, right.one) ||
    compareCodePoints(left.other, right.other)
  );
}

/** Minimum number of ids read at a time, because several may belong to one node. */
const minScanned = 500;

/** One id for each merged node: the smallest of its members that match, so that pages never repeat a node. */
async function findMerged(
  view: GraphView,
  clusters: Clusters,
  condition: NodeCondition,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const members: string[] = [];
  for (let from = after; members.length < limit;) {
    const ids = await view.find(condition, { after: from, limit: Math.max(limit, minScanned) });
    const last = ids.at(-1);
    if (last === undefined) break;
    const { canonical, facts } = await clusters(ids);
    const first = new Map<string, string>();
    for (const fact of facts) {
      const representative = canonical.get(fact.node);
      if (representative === undefined || !matchesFact(fact, condition)) continue;
      const earlier = first.get(representative);
      if (earlier === undefined || compareCodePoints(fact.node, earlier) < 0) first.set(representative, fact.node);
    }
    members.push(...ids.filter((id) => first.get(canonical.get(id) ?? id) === id));
    from = last;
  }
  return members.slice(0, limit);
}
