import { Type } from '@sinclair/typebox';
import type { GraphNode } from '../../client';
import { cut, toDataContent, getNextOffset, definePage } from '../answer';
import { tool } from '../tool';

/** Documents, nodes or values that are listed for a node or relation. */
const maxListed = 5;
/** Maximum characters of a property or passage. */
const maxTextLength = 300;

/** Lists the graphs of the caller. */
export const listGraphs = tool({
  name: 'list_graphs',
  title: 'List knowledge graphs',
  description:
    'Knowledge graphs that the user may query, newest first. Find nodes with graph_nodes, then follow them with graph_neighbours and graph_paths.',
  input: Type.Object({ ...definePage(50, 20) }, { additionalProperties: false }),
  async run({ limit = 20, offset = 0 }, { api }) {
    const { items, total } = await api.graphs.list({ limit, offset });
    return toDataContent({
      graphs: items.map(({ id, state, template, source, name, nodes, edges, created_at }) => ({
        graph_id: id,
        state,
        template,
        source: source.name,
        name,
        nodes,
        edges,
        created_at,
      })),
      total,
      next_offset: getNextOffset(offset, items.length, total),
    });
  },
});

const graphId = Type.String({ format: 'uuid' });
const defineText = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });
const defineLimit = (maximum: number, fallback: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: fallback }));

/** Finds nodes of a graph by class, property and text. */
export const graphNodes = tool({
  name: 'graph_nodes',
  title: 'Find nodes of a graph',
  description:
    'Nodes of a graph by class, property and text, each with the passages of documents that support it. Without conditions, the first nodes. Follow a node by its id with graph_neighbours.',
  input: Type.Object(
    {
      graph_id: graphId,
      label: Type.Optional(defineText('The class, such as Party.')),
      property: Type.Optional(defineText('A property that the node must have.')),
      value: Type.Optional(defineText('The value of `property`.')),
      query: Type.Optional(defineText('Text in any property.')),
      after: Type.Optional(defineText('The `next` value of the previous page.')),
      limit: defineLimit(50, 10),
    },
    { additionalProperties: false },
  ),
  async run({ graph_id: id, ...query }, { api }) {
    const { nodes, next } = await api.graphs.nodes(id, { ...query, limit: query.limit ?? 10 });
    return toDataContent({ nodes: nodes.map(shortenNode), next });
  },
});

/** Shows a node of a graph with its relations. */
export const graphNeighbours = tool({
  name: 'graph_neighbours',
  title: 'Neighbours in a graph',
  description:
    'A node of a graph with its relations and the nodes at their other ends. `node` is an id from graph_nodes.',
  input: Type.Object(
    {
      graph_id: graphId,
      node: defineText('The id of a node.'),
      label: Type.Optional(defineText('Only relations with this label.')),
      direction: Type.Optional(Type.Union([Type.Literal('in'), Type.Literal('out'), Type.Literal('both')])),
      limit: defineLimit(100, 30),
    },
    { additionalProperties: false },
  ),
  async run({ graph_id: id, ...query }, { api }) {
    const { node, neighbours, is_cut } = await api.graphs.neighbours(id, { ...query, limit: query.limit ?? 30 });
    return toDataContent({
      node: shortenNode(node),
      neighbours: neighbours.map(({ label, direction, node: other, support }) => ({
        label,
        direction,
        node: nameNode(other),
        documents: support.map(({ document_id }) => document_id).slice(0, maxListed),
      })),
      is_cut,
    });
  },
});

/** Shows how two nodes of a graph are connected. */
export const graphPaths = tool({
  name: 'graph_paths',
  title: 'Paths in a graph',
  description:
    'The shortest paths from one node of a graph to another, over relations in either direction, with the documents that support each step. Answers how two things are connected.',
  input: Type.Object(
    {
      graph_id: graphId,
      from: defineText('The id of a node, from graph_nodes.'),
      to: defineText('The id of another node.'),
      max_length: defineLimit(6, 4),
      limit: defineLimit(10, 3),
    },
    { additionalProperties: false },
  ),
  async run({ graph_id: id, ...query }, { api }) {
    const { paths, is_cut } = await api.graphs.paths(id, { ...query, limit: query.limit ?? 3 });
    return toDataContent({
      paths: paths.map(({ nodes, edges }) => ({
        nodes: nodes.map(nameNode),
        relations: edges.map(({ source, target, label, support }) => ({
          source,
          target,
          label,
          documents: support.map(({ document_id }) => document_id).slice(0, maxListed),
        })),
      })),
      is_cut,
    });
  },
});

/** Finds passages by the facts that they support. */
export const graphPassages = tool({
  name: 'graph_passages',
  title: 'Passages for a question, by a graph',
  description:
    'Passages of documents that support the facts of a graph nearest to a question, even if they share no word with it. For questions whose answer is spread over several documents.',
  input: Type.Object(
    { graph_id: graphId, query: defineText('The question.'), limit: defineLimit(30, 8) },
    { additionalProperties: false },
  ),
  async run({ graph_id: id, query, limit = 8 }, { api }) {
    const { passages, is_cut } = await api.graphs.passages(id, { query, limit });
    return toDataContent({
      passages: passages.map(({ document_id, page: number, text: passage, nodes }) => ({
        document_id,
        page: number,
        text: cut(passage, maxTextLength),
        nodes: nodes.slice(0, maxListed),
      })),
      is_cut,
    });
  },
});

/** A node with the beginning of its properties and passages. */
function shortenNode({ id, label, properties, support, others }: GraphNode) {
  return {
    id,
    label,
    properties: cutValues(properties),
    support: support.slice(0, maxListed).map(({ document_id, passages }) => ({
      document_id,
      passages: passages.map(({ text: passage }) => cut(passage, maxTextLength)),
    })),
    ...(others.length > 0 ? { other_values: others.slice(0, maxListed) } : {}),
  };
}

const nameNode = ({ id, label, properties }: GraphNode) => ({ id, label, properties: cutValues(properties) });

function cutValues(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) =>
      value === null ? [] : [[name, typeof value === 'string' ? cut(value, maxTextLength) : value]],
    ),
  );
}
