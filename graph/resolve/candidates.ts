import type { EdgeFact, GraphView, NodeFact } from '../../model/graph/facts';
import { type EntityPair, orderedPair } from '../../model/graph/pairs';
import type { GraphTemplate } from '../template/model';
import { compareEntities, type Comparison, entityProfile } from './compare';

/** A key that more nodes share is not distinctive. */
const mostInBlock = 100;
const mostRelations = 20;
const mostEdges = 5_000;

/** A pair that was compared. */
export type ComparedPair = Pick<EntityPair, 'one' | 'other' | 'label'> & { comparison: Comparison };

/**
 * Compares nodes with those that share a part of their name, a key value or a neighbour with them. Never compares each node with
 * each: a node meets at most `mostInBlock` others for each of its keys.
 */
export async function comparedPairs(
  view: GraphView,
  template: GraphTemplate,
  facts: readonly NodeFact[],
): Promise<ComparedPair[]> {
  const pairs = new Map<string, [string, string, string]>();
  const known = (nodes: readonly NodeFact[]) => nodes.filter(({ blocks = [] }) => blocks.length > 0);
  for (const fact of known(facts))
    for (const partner of await findPartners(view, fact)) {
      const [one, other] = orderedPair(fact.node, partner);
      pairs.set(`${one} ${other}`, [one, other, fact.label]);
    }
  const ids = [...new Set([...pairs.values()].flatMap(([one, other]) => [one, other]))];
  const about = groupByKeys(known(await view.nodes(ids)), ({ node }) => [node]);
  const edges = await getEdges(view, ids);
  return [...pairs.values()].flatMap(([one, other, label]): ComparedPair[] => {
    const entity = template.classes.get(label);
    const [left, right] = [about.get(one), about.get(other)];
    if (!entity || !left || !right) return [];
    const profile = (id: string, own: readonly NodeFact[]) => entityProfile(id, entity, own, edges.get(id) ?? []);
    return [{ one, other, label, comparison: compareEntities(profile(one, left), profile(other, right)) }];
  });
}

/** The relations of nodes, by the node. */
export async function getEdges(view: GraphView, ids: readonly string[]): Promise<Map<string, EdgeFact[]>> {
  const found = await Promise.all(
    (['out', 'in'] as const).map((direction) => view.edges(ids, { direction, most: mostEdges })),
  );
  const facts = found.flatMap((item) => item.facts);
  return groupByKeys(facts, ({ source, target }) => (source === target ? [source] : [source, target]));
}

function groupByKeys<T>(items: readonly T[], keysOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  return groups;
}

async function findPartners(view: GraphView, { node, label, blocks = [] }: NodeFact): Promise<Set<string>> {
  const partners = new Set<string>();
  for (const block of blocks) {
    const found = await view.find({ label, block }, { after: '', limit: mostInBlock + 2 });
    if (found.length <= mostInBlock + 1) for (const id of found) partners.add(id);
  }
  for (const id of await sharingNeighbours(view, node, label)) partners.add(id);
  partners.delete(node);
  return partners;
}

/** Nodes of the class that have the same relation to the same node, unless that has many. */
async function sharingNeighbours(view: GraphView, node: string, label: string): Promise<string[]> {
  const found: string[] = [];
  for (const direction of ['out', 'in'] as const) {
    const own = await view.edges([node], { direction, most: mostRelations });
    if (own.isCut) continue;
    for (const edge of own.facts) {
      const end = direction === 'out' ? edge.target : edge.source;
      const back = { direction: direction === 'out' ? 'in' : 'out', label: edge.label, most: mostInBlock } as const;
      const { facts, isCut } = await view.edges([end], back);
      if (!isCut) found.push(...facts.map(({ source, target }) => (direction === 'out' ? source : target)));
    }
  }
  const others = [...new Set(found)].filter((id) => id !== node);
  const nodes = others.length > 0 ? await view.nodes(others) : [];
  return nodes.filter((fact) => fact.label === label && (fact.blocks ?? []).length > 0).map((fact) => fact.node);
}
