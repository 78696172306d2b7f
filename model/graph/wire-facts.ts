import { type Static, Type } from '@sinclair/typebox';

/** A passage in a document that supports a fact. */
const Passage = Type.Object({
  chunk: Type.Integer({ description: 'Index among the chunks that were read.' }),
  page: Type.Optional(Type.Integer()),
  text: Type.String(),
});

/** A document that the reader may read and that supports a fact. */
export const GraphSupport = Type.Object(
  {
    document_id: Type.String(),
    name: Type.Optional(Type.String({ description: 'Of the document.' })),
    passages: Type.Array(Passage, { description: 'Empty if only the document as a whole supports the fact.' }),
  },
  { $id: 'GraphSupport' },
);

const properties = Type.Record(Type.String(), Type.Unknown());

/** A node as the documents that the reader may read describe it. */
export const GraphNode = Type.Object(
  {
    id: Type.String(),
    label: Type.String({ description: 'The class in the template.' }),
    properties,
    support: Type.Array(GraphSupport),
    members: Type.Array(Type.String(), {
      description: 'Ids of the nodes that are shown as this one because they mean the same thing; else empty.',
    }),
    others: Type.Array(
      Type.Object({
        property: Type.String(),
        value: Type.Unknown(),
        documents: Type.Array(Type.String()),
      }),
      { description: 'Values that contradict the ones shown, and the documents that state them.' },
    ),
  },
  { $id: 'GraphNode' },
);
export type GraphNode = Static<typeof GraphNode>;

/** A relation. */
export const GraphEdge = Type.Object(
  {
    source: Type.String(),
    target: Type.String(),
    label: Type.String(),
    properties,
    support: Type.Array(GraphSupport),
  },
  { $id: 'GraphEdge' },
);
export type GraphEdge = Static<typeof GraphEdge>;

/** A page of nodes. */
export const GraphNodes = Type.Object(
  {
    nodes: Type.Array(GraphNode),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `after` for the next page; null on the last.',
    }),
  },
  { $id: 'GraphNodes' },
);
export type GraphNodes = Static<typeof GraphNodes>;

const isCut = Type.Boolean({ description: 'True if there are more than the limit.' });

/** A node and its relations. */
export const GraphNeighbours = Type.Object(
  {
    node: GraphNode,
    neighbours: Type.Array(
      Type.Object({
        label: Type.String({ description: 'Of the relation.' }),
        direction: Type.Union([Type.Literal('in'), Type.Literal('out')]),
        properties,
        support: Type.Array(GraphSupport),
        node: GraphNode,
      }),
    ),
    is_cut: isCut,
  },
  { $id: 'GraphNeighbours' },
);
export type GraphNeighbours = Static<typeof GraphNeighbours>;

/** The shortest paths between two nodes. */
export const GraphPaths = Type.Object(
  {
    paths: Type.Array(
      Type.Object({
        nodes: Type.Array(GraphNode),
        edges: Type.Array(GraphEdge, { description: 'The relations from each node to the next, in either direction.' }),
      }),
    ),
    is_cut: isCut,
  },
  { $id: 'GraphPaths' },
);
export type GraphPaths = Static<typeof GraphPaths>;

/** Passages that support the facts nearest to a question. */
export const GraphPassages = Type.Object(
  {
    passages: Type.Array(
      Type.Object({
        document_id: Type.String(),
        name: Type.Optional(Type.String({ description: 'Of the document.' })),
        chunk: Type.Integer({ description: 'Index among the chunks that were read.' }),
        page: Type.Optional(Type.Integer()),
        text: Type.String(),
        score: Type.Number({ description: 'Comparable only within one answer.' }),
        nodes: Type.Array(Type.String(), { description: 'Ids of nodes that it supports, nearest first.' }),
      }),
      { description: 'Nearest first.' },
    ),
    nodes: Type.Array(Type.Object({ id: Type.String(), label: Type.String(), properties }), {
      description: 'The nodes that passages name, as the documents that you may read describe them; at most 200.',
    }),
    is_cut: isCut,
  },
  { $id: 'GraphPassages' },
);
export type GraphPassages = Static<typeof GraphPassages>;

/** Counts of the facts that the reader may see. */
export const GraphStatistics = Type.Object(
  {
    nodes: Type.Integer(),
    edges: Type.Integer(),
    node_types: Type.Record(Type.String(), Type.Integer()),
    edge_types: Type.Record(Type.String(), Type.Integer()),
  },
  { $id: 'GraphStatistics' },
);
export type GraphStatistics = Static<typeof GraphStatistics>;
