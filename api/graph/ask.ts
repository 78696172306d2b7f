import { Type } from '@sinclair/typebox';
import { findNodes, countGraph, findNeighbours, findShortestPaths } from '../../graph/corpus/ask';
import { foldNodes } from '../../graph/corpus/fold';
import { searchPassages } from '../../graph/corpus/search-passages';
import { AppError } from '../../model/errors';
import { GraphId } from '../../model/graph/wire';
import { GraphNeighbours, GraphNodes, GraphPassages, GraphPaths, GraphStatistics } from '../../model/graph/wire-facts';
import { route } from '../http/route';
import { addDocumentNames } from './documents';
import { toNodeReply, toPlainValues } from './node-reply';
import { loadView } from './view';

/** Maximum nodes described in an answer. */
const maxNamedNodes = 200;
const params = Type.Object({ graph_id: GraphId });
const errors = [
  'GRAPH_NOT_FOUND',
  'GRAPH_NOT_READY',
  'FORBIDDEN',
  'DOCUMENT_NOT_FOUND',
  'TABLE_NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
] as const;
const defineText = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });
const defineLimit = (maximum: number, fallback: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: fallback }));

export const getGraphNodes = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/nodes',
  audit: 'read',
  summary: 'Nodes of a graph by class, property and text, in order of id.',
  description:
    'All conditions must hold for what one document says about a node. In a graph of a corpus, the reply contains only facts from documents that you may read.',
  params,
  query: Type.Object({
    label: Type.Optional(defineText('The class.')),
    property: Type.Optional(defineText('A property that the node must have.')),
    value: Type.Optional(defineText('The value of `property`, in any letter case.')),
    query: Type.Optional(defineText('Text in any property, in any letter case.')),
    after: Type.Optional(defineText('The `next` value of the previous page.')),
    limit: defineLimit(200, 50),
  }),
  replies: { 200: GraphNodes },
  errors: [...errors, 'VALIDATION_ERROR'],
  handler: async ({
    params: { graph_id },
    query: { label, property, value, query, after = '', limit = 50 },
    ...context
  }) => {
    if (value !== undefined && property === undefined)
      throw new AppError('VALIDATION_ERROR', "'value' needs 'property', the name of the property that has it.", {
        target: { type: 'parameter', name: 'property' },
      });
    const { graph, view } = await loadView(graph_id, context);
    const nodes = await findNodes(view, { label, property, value, text: query }, { after, limit });
    return addDocumentNames({ ...nodes, nodes: nodes.nodes.map(toNodeReply) }, graph, context);
  },
});

export const getGraphNeighbours = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/neighbours',
  audit: 'read',
  summary: 'A node with its relations and the nodes at their other ends.',
  params,
  query: Type.Object({
    node: defineText('The id of the node.'),
    label: Type.Optional(defineText('Only relations with this label.')),
    direction: Type.Optional(
      Type.Union([Type.Literal('in'), Type.Literal('out'), Type.Literal('both')], { default: 'both' }),
    ),
    limit: defineLimit(200, 50),
  }),
  replies: { 200: GraphNeighbours },
  errors: [...errors, 'NOT_FOUND'],
  handler: async ({ params: { graph_id }, query: { node: id, label, direction = 'both', limit = 50 }, ...context }) => {
    const { graph, view } = await loadView(graph_id, context);
    const result = await findNeighbours(view, id, { label, direction, limit });
    if (!result) throw createNoSuchNodeError([id], 'node');
    const neighbours = result.neighbours.map((neighbour) => ({
      ...neighbour,
      properties: toPlainValues(neighbour.properties),
      node: toNodeReply(neighbour.node),
    }));
    return addDocumentNames({ node: toNodeReply(result.node), neighbours, is_cut: result.isCut }, graph, context);
  },
});

export const getGraphPaths = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/paths',
  audit: 'read',
  summary: 'The shortest paths between two nodes, over relations in either direction.',
  params,
  query: Type.Object({
    from: defineText('The id of the first node.'),
    to: defineText('The id of the last node.'),
    max_length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 6, default: 4, description: 'Maximum number of relations in a path.' }),
    ),
    limit: defineLimit(20, 5),
  }),
  replies: { 200: GraphPaths },
  errors: [...errors, 'NOT_FOUND'],
  handler: async ({ params: { graph_id }, query: { from, to, max_length: maxLength = 4, limit = 5 }, ...context }) => {
    const { graph, view } = await loadView(graph_id, context);
    const result = await findShortestPaths(view, { from, to }, { maxLength, limit });
    if (!result) throw createNoSuchNodeError([from, to], 'from');
    const paths = result.paths.map(({ nodes, edges }) => ({
      nodes: nodes.map(toNodeReply),
      edges: edges.map((edge) => ({ ...edge, properties: toPlainValues(edge.properties) })),
    }));
    return addDocumentNames({ paths, is_cut: result.isCut }, graph, context);
  },
});

export const getGraphPassages = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/passages',
  audit: 'read',
  summary: 'The passages of documents behind the facts of a graph that are nearest to a question.',
  description:
    'Finds nodes by the words of the question and follows up to two relations from them, so it also finds documents that share no word with the question. In a graph of a corpus, it searches only documents that you may read.',
  params,
  query: Type.Object({ query: defineText('The question, in any words.'), limit: defineLimit(100, 10) }),
  replies: { 200: GraphPassages },
  errors,
  handler: async ({ params: { graph_id }, query: { query, limit = 10 }, ...context }) => {
    const { graph, view } = await loadView(graph_id, context);
    const { passages, isCut } = await searchPassages(view, query, limit);
    const passageReplies = passages.map(({ documentId: document_id, ...passage }) => ({ document_id, ...passage }));
    const ids = [...new Set(passages.flatMap(({ nodes }) => nodes))].slice(0, maxNamedNodes);
    const nodes = foldNodes(await view.nodes(ids)).map(toNodeReply);
    const named = nodes.map(({ id, label, properties }) => ({ id, label, properties }));
    return addDocumentNames({ passages: passageReplies, nodes: named, is_cut: isCut }, graph, context);
  },
});

export const getGraphStatistics = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/statistics',
  audit: 'read',
  summary: 'Counts of nodes and relations, by class and label.',
  description: 'In a graph of a corpus, counts only facts from documents that you may read.',
  params,
  replies: { 200: GraphStatistics },
  errors,
  handler: async ({ params: { graph_id }, ...context }) => countGraph((await loadView(graph_id, context)).view),
});

function createNoSuchNodeError(ids: readonly string[], name: string): AppError {
  return new AppError(
    'NOT_FOUND',
    `The graph has no node ${ids.map((id) => `'${id}'`).join(' or ')} that you may see.`,
    {
      target: { type: 'parameter', name },
    },
  );
}
