import type { EdgeFact, GraphView, NodeFact } from '../../model/graph/facts';
import { type EntityPair, orderPair } from '../../model/graph/pairs';
import { groupByKeys } from '../corpus/group';
import type { GraphTemplate } from '../template/model';
import { compareEntities, type Comparison, createEntityProfile } from './compare';

/** A key that more nodes share is not distinctive. */
const maxInBlock = 100;
const maxRelations = 20;
const maxEdges = 20_000;
const maxEdgesOfNode = 1_000;

/** A pair that was compared. */
export type ComparedPair = Pick<EntityPair, 'one' | 'other' | 'label'> & { comparison: Comparison };

/**
 * Compares nodes with those that share a part of their name, a key value or a neighbour with them. Never compares each node with
 * each: a node meets at most `maxInBlock` others for each of its keys.
 */
export async function comparePairs(
  view: GraphView,
  template: GraphTemplate,
  facts: readonly NodeFact[],
): Promise<ComparedPair[]> {
  const pairs = new Map<string, [string, string, string]>();
  const selectComparable = (nodes: readonly NodeFact[]) => nodes.filter(({ blocks = [] }) => blocks.length > 0);
  for (const fact of selectComparable(facts))
    for (const partner of await findPartners(view, fact)) {
      const [one, other] = orderPair(fact.node, partner);
      pairs.set(`${one} ${other}`, [one, other, fact.label]);
    }
  const ids = [...new Set([...pairs.values()].flatMap(([one, other]) => [one, other]))];
  const about = groupByKeys(selectComparable(await view.nodes(ids)), ({ node }) => [node]);
  const edges = await readEdgesByNode(view, ids);
  return [...pairs.values()].flatMap(([one, other, label]): ComparedPair[] => {
    const entity = template.classes.get(label);
    const [left, right] = [about.get(one), about.get(other)];
    if (!entity || !left || !right) return [];
    const createProfile = (id: string, nodeFacts: readonly NodeFact[]) =>
      createEntityProfile(id, entity, nodeFacts, edges.get(id) ?? []);
    return [{ one, other, label, comparison: compareEntities(createProfile(one, left), createProfile(other, right)) }];
  });
}

/**
 * The relations of nodes, by the node. Relations of one direction count only if a node has at most `maxEdgesOfNode` of them: what they
 * say of a node then never depends on the nodes that are read with it.
 */
export async function readEdgesByNode(view: GraphView, ids: readonly string[]): Promise<Map<string, EdgeFact[]>> {
  const edgeLists: EdgeFact[][] = [];
  for (const direction of ['out', 'in'] as const) {
    const end = direction === 'out' ? 'source' : 'target';
    const groups = groupByKeys(await readEdges(view, ids, direction), (edge) => [edge[end]]);
    edgeLists.push(...[...groups.values()].filter((edges) => edges.length <= maxEdgesOfNode));
  }
  const facts = edgeLists.flat();
  return groupByKeys(facts, ({ source, target }) => (source === target ? [source] : [source, target]));
}

async function readEdges(view: GraphView, ids: readonly string[], direction: 'in' | 'out'): Promise<EdgeFact[]> {
  const together = await view.edges(ids, { direction, limit: maxEdges });
  if (!together.isCut) return together.facts;
  const edges: EdgeFact[] = [];
  for (const id of ids) {
    const { facts, isCut } = await view.edges([id], { direction, limit: maxEdgesOfNode });
    if (!isCut) edges.push(...facts);
  }
  return edges;
}

async function findPartners(view: GraphView, { node, label, blocks = [] }: NodeFact): Promise<Set<string>> {
  const partners = new Set<string>();
  for (const block of blocks) {
    const facts = await view.find({ label, block }, { after: '', limit: maxInBlock + 2 });
    if (facts.length <= maxInBlock + 1) for (const id of facts) partners.add(id);
  }
  for (const id of await listSharingNeighbours(view, node, label)) partners.add(id);
  partners.delete(node);
  return partners;
}

/** Nodes of the class that have the same relation to the same node, unless that has many. */
async function listSharingNeighbours(view: GraphView, node: string, label: string): Promise<string[]> {
  const nodeIds: string[] = [];
  for (const direction of ['out', 'in'] as const) {
    const ownEdges = await view.edges([node], { direction, limit: maxRelations });
    if (ownEdges.isCut) continue;
    for (const edge of ownEdges.facts) {
      const end = direction === 'out' ? edge.target : edge.source;
      const back = { direction: direction === 'out' ? 'in' : 'out', label: edge.label, limit: maxInBlock } as const;
      const { facts, isCut } = await view.edges([end], back);
      if (!isCut) nodeIds.push(...facts.map(({ source, target }) => (direction === 'out' ? source : target)));
    }
  }
  const others = [...new Set(nodeIds)].filter((id) => id !== node);
  const nodes = others.length > 0 ? await view.nodes(others) : [];
  return nodes.filter((fact) => fact.label === label && (fact.blocks ?? []).length > 0).map((fact) => fact.node);
}
