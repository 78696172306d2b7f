import { Type } from '@sinclair/typebox';
import type { Client } from '../../client';
import { AppError } from '../../model/errors';
import { cut, data, nextOffset, page } from '../answer';
import { tool } from '../tool';

/** Larger graphs are for programs: they take them as files. */
const largestGraphBytes = 32_000_000;

interface GraphFile {
  nodes: Record<string, unknown>[];
  edges: Record<string, unknown>[];
}

/** Lists the graphs of the caller. */
export const listGraphs = tool({
  name: 'list_graphs',
  title: 'List knowledge graphs',
  description: 'Knowledge graphs the user has built, newest first. Look into one with graph_neighbours.',
  input: Type.Object({ ...page(50, 20) }, { additionalProperties: false }),
  async run({ limit = 20, offset = 0 }, { api }) {
    const { items, total } = await api.graphs.list({ limit, offset });
    return data({
      graphs: items.map(({ id, state, template, source, nodes, edges, created_at }) => ({
        graph_id: id,
        state,
        template,
        source: source.name,
        nodes,
        edges,
        created_at,
      })),
      total,
      next_offset: nextOffset(offset, items.length, total),
    });
  },
});

/** Finds nodes of a graph, with their edges and neighbours. */
export const graphNeighbours = tool({
  name: 'graph_neighbours',
  title: 'Neighbours in a graph',
  description:
    'Nodes of a graph whose id is `node` or whose properties contain that text, each with its edges and the nodes at their other ends.',
  input: Type.Object(
    {
      graph_id: Type.String({ format: 'uuid' }),
      node: Type.String({ minLength: 1, maxLength: 500, description: 'The id of a node, or words of it.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5, description: 'The most nodes.' })),
    },
    { additionalProperties: false },
  ),
  async run({ graph_id: id, node, limit = 5 }, { api, signal }) {
    const { nodes, edges } = await readGraph(api, id, signal);
    const exact = nodes.filter((one) => one['id'] === node);
    const wanted = node.toLowerCase();
    const found = exact.length > 0 ? exact : nodes.filter((one) => JSON.stringify(one).toLowerCase().includes(wanted));
    const byId = new Map(nodes.map((one) => [one['id'], one]));
    return data({
      nodes: found.slice(0, limit).map((one) => neighbourhoodOf(one, edges, byId)),
      found: found.length,
    });
  },
});

const mostEdges = 30;

function neighbourhoodOf(
  node: Record<string, unknown>,
  edges: readonly Record<string, unknown>[],
  byId: ReadonlyMap<unknown, Record<string, unknown>>,
) {
  const own = edges.filter(({ source, target }) => source === node['id'] || target === node['id']);
  return {
    node: shortened(node),
    edges: own.slice(0, mostEdges).map(({ source, target, label }) => ({
      label,
      direction: source === node['id'] ? 'out' : 'in',
      node: shortened(byId.get(source === node['id'] ? target : source) ?? {}),
    })),
    edge_count: own.length,
  };
}

function shortened(node: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(node).flatMap(([name, value]) => {
      if (value === null || name === 'provenance' || name.startsWith('__')) return [];
      return [[name, typeof value === 'string' ? cut(value, 300) : value]];
    }),
  );
}

async function readGraph(api: Client, id: string, signal: AbortSignal): Promise<GraphFile> {
  const { files } = await api.graphs.get(id);
  const bytes = files.find(({ format }) => format === 'json')?.bytes ?? 0;
  if (bytes > largestGraphBytes)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The graph has ${bytes} bytes; this tool reads at most ${largestGraphBytes}. Load its files into a graph database.`,
    );
  const parts: Uint8Array[] = [];
  for await (const part of api.graphs.result(id, 'json', signal)) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as GraphFile;
}
