import type { EdgeFact, GraphView } from '../../model/graph/facts';
import { addEdge, addNode, createGraph, type KnowledgeGraph } from '../core/knowledge-graph';
import { type FoldedEdge, type FoldedNode, foldEdges, foldNodes, type Support } from './fold';
import { findWantedKey } from './property-keys';

/** Conditions for nodes; all of them must hold within one document. */
export interface NodeQuery {
  label?: string;
  /** With `value`: a property that has this value, ignoring case. Without: a property that is present. */
  property?: string;
  value?: string;
  /** Text in any property, ignoring case. */
  text?: string;
}

/** A page of nodes; `next` continues after the last of them. */
export interface FoundNodes {
  nodes: FoldedNode[];
  next: string | null;
}

/** Nodes that match, in order of id. */
export async function findNodes(
  view: GraphView,
  query: NodeQuery,
  { after, limit }: { after: string; limit: number },
): Promise<FoundNodes> {
  const { label, text } = query;
  const condition = { label, key: findWantedKey(query), text: text?.toLowerCase() };
  const ids = await view.find(condition, { after, limit: limit + 1 });
  const shownIds = ids.slice(0, limit);
  const nodes = foldNodes(await view.nodes(shownIds));
  return { nodes, next: ids.length > limit ? (shownIds.at(-1) ?? null) : null };
}

/** A relation as seen from one of its ends. */
export interface Neighbour {
  label: string;
  direction: 'in' | 'out';
  properties: FoldedEdge['properties'];
  support: Support[];
  node: FoldedNode;
}

/** Relations beyond this many facts are not read. */
const maxFacts = 5_000;

/** A node with its relations, at most `limit` of them; undefined if the reader may not see it. */
export async function findNeighbours(
  view: GraphView,
  id: string,
  { label, direction, limit }: { label?: string; direction: 'in' | 'out' | 'both'; limit: number },
): Promise<{ node: FoldedNode; neighbours: Neighbour[]; isCut: boolean } | undefined> {
  const [node] = foldNodes(await view.nodes([id]));
  if (!node) return undefined;
  const found: { edge: FoldedEdge; direction: 'in' | 'out' }[] = [];
  let isCut = false;
  for (const way of ['out', 'in'] as const) {
    if (direction !== 'both' && direction !== way) continue;
    const read = await view.edges([id], { direction: way, label, limit: maxFacts });
    isCut ||= read.isCut;
    found.push(...foldEdges(read.facts).map((edge) => ({ edge, direction: way })));
  }
  const ends = found.slice(0, limit).map(({ edge, direction: way }) => (way === 'out' ? edge.target : edge.source));
  const nodes = new Map(
    foldNodes(await view.nodes([...new Set(ends)])).map((foldedNode) => [foldedNode.id, foldedNode]),
  );
  const neighbours = found.slice(0, limit).flatMap(({ edge, direction: way }): Neighbour[] => {
    const other = nodes.get(way === 'out' ? edge.target : edge.source);
    const { label: name, properties, support } = edge;
    return other ? [{ label: name, direction: way, properties, support, node: other }] : [];
  });
  return { node, neighbours, isCut: isCut || found.length > limit };
}

/** A path between two nodes: its nodes in order, and the relation between each node and the next, in either direction. */
export interface GraphPath {
  nodes: FoldedNode[];
  edges: FoldedEdge[];
}

/** Nodes beyond this many are not visited. */
const maxVisited = 5_000;

/**
 * Up to `limit` of the shortest paths between two nodes, not longer than `maxLength` relations, which may be followed in both
 * directions. Undefined if the reader may not see one of the nodes. `isCut` is true if the search ended early.
 */
export async function findShortestPaths(
  view: GraphView,
  { from, to }: { from: string; to: string },
  { maxLength, limit }: { maxLength: number; limit: number },
): Promise<{ paths: GraphPath[]; isCut: boolean } | undefined> {
  // All ids of a merged node name that one node.
  const [first, last] = [(await view.nodes([from]))[0]?.node, (await view.nodes([to]))[0]?.node];
  if (first === undefined || last === undefined) return undefined;
  const { parents, isCut } = await searchNodes(view, { from: first, to: last, maxLength });
  const ways = traceBack(parents, { from: first, to: last }, limit);
  const ids = [...new Set(ways.flatMap((way) => way.map(({ node }) => node)))];
  const nodes = new Map(foldNodes(await view.nodes(ids)).map((node) => [node.id, node]));
  const paths = ways.map((way) => ({
    nodes: way.flatMap(({ node }) => nodes.get(node) ?? []),
    edges: way.flatMap(({ facts }) => foldEdges(facts)),
  }));
  return { paths, isCut };
}

interface Step {
  node: string;
  /** The facts of the relation to the node before; none at the start. */
  facts: EdgeFact[];
}

/** The nodes before each visited node on a shortest path from the start. */
type Parents = Map<string, Map<string, EdgeFact[]>>;

async function searchNodes(
  view: GraphView,
  { from, to, maxLength }: { from: string; to: string; maxLength: number },
): Promise<{ parents: Parents; isCut: boolean }> {
  const parents: Parents = new Map([[from, new Map()]]);
  let isCut = false;
  let frontier = [from];
  for (let length = 0; length < maxLength && frontier.length > 0 && !parents.has(to); length++) {
    const next: Parents = new Map();
    for (const direction of ['out', 'in'] as const) {
      const read = await view.edges(frontier, { direction, limit: maxFacts });
      isCut ||= read.isCut;
      for (const fact of read.facts) {
        const [near, far] = direction === 'out' ? [fact.source, fact.target] : [fact.target, fact.source];
        if (parents.has(far)) continue;
        const ways = next.get(far) ?? new Map<string, EdgeFact[]>();
        ways.set(near, [...(ways.get(near) ?? []), fact]);
        next.set(far, ways);
      }
    }
    for (const [node, ways] of next) parents.set(node, ways);
    frontier = [...next.keys()];
    if (parents.size > maxVisited) return { parents, isCut: true };
  }
  return { parents, isCut };
}

function traceBack(parents: Parents, { from, to }: { from: string; to: string }, limit: number): Step[][] {
  const steps: Step[][] = [];
  const walk = (node: string, after: Step[]): void => {
    if (steps.length >= limit) return;
    if (node === from) {
      steps.push([{ node, facts: [] }, ...after]);
      return;
    }
    for (const [before, facts] of parents.get(node) ?? []) walk(before, [{ node, facts }, ...after]);
  };
  if (parents.has(to)) walk(to, []);
  return steps;
}

const pageSize = 500;

/**
 * The whole graph that the reader may see, as one built from these documents alone; `undefined` if it has more than `maxNodes`
 * nodes. Its nodes name their documents in `__documents__`.
 */
export async function readWholeGraph(view: GraphView, maxNodes: number): Promise<KnowledgeGraph | undefined> {
  const graph = createGraph();
  for await (const { nodes, edges } of readPages(view)) {
    if (graph.nodes.size + nodes.length > maxNodes) return undefined;
    for (const { id, label, properties, support } of nodes) {
      const documents = support.map(({ document_id }) => document_id);
      addNode(graph, id, { id, label, type: 'entity', __class__: label, ...properties, __documents__: documents });
    }
    for (const { source, target, label, properties } of edges)
      addEdge(graph, { source, target, attributes: { label, ...properties } });
  }
  return graph;
}

/** Counts of the nodes and relations that the reader may see. */
export interface GraphCounts {
  nodes: number;
  edges: number;
  node_types: Record<string, number>;
  edge_types: Record<string, number>;
}

/** Counts nodes and relations by reading them, page by page. */
export async function countGraph(view: GraphView): Promise<GraphCounts> {
  const [nodeTypes, edgeTypes] = [new Map<string, number>(), new Map<string, number>()];
  const count = (types: Map<string, number>, label: string) => types.set(label, (types.get(label) ?? 0) + 1);
  for await (const { nodes, edges } of readPages(view)) {
    for (const { label } of nodes) count(nodeTypes, label);
    for (const { label } of edges) count(edgeTypes, label);
  }
  const sum = (types: Map<string, number>) => [...types.values()].reduce((total, type) => total + type, 0);
  return {
    nodes: sum(nodeTypes),
    edges: sum(edgeTypes),
    node_types: Object.fromEntries(nodeTypes),
    edge_types: Object.fromEntries(edgeTypes),
  };
}

/** All nodes page by page, each page with the relations that begin at its nodes. */
async function* readPages(view: GraphView): AsyncGenerator<{ nodes: FoldedNode[]; edges: FoldedEdge[] }> {
  for (let after = ''; ;) {
    const ids = await view.find({}, { after, limit: pageSize });
    const last = ids.at(-1);
    if (last === undefined) return;
    const nodes = foldNodes(await view.nodes(ids));
    const { facts } = await view.edges(ids, { direction: 'out', limit: Number.MAX_SAFE_INTEGER });
    yield { nodes, edges: foldEdges(facts) };
    after = last;
  }
}
