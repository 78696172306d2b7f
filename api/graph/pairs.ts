import { Type } from '@sinclair/typebox';
import { foldNodes } from '../../graph/corpus/fold';
import type { PairJudge } from '../../graph/resolve/judge-pairs';
import { AppError } from '../../model/errors';
import type { GraphView } from '../../model/graph/facts';
import { type EntityPair, orderPair } from '../../model/graph/pairs';
import { GraphId } from '../../model/graph/wire';
import { GraphDecided, GraphDecisions, GraphPairs, GraphPairState, type GraphPair } from '../../model/graph/wire-pairs';
import { authorize, graphPolicy, read } from '../http/policies';
import { route } from '../http/route';
import { requireCorpus } from './corpus';
import { addDocumentNames } from './documents';
import { toNodeReply } from './node-reply';
import { openFactsView, createReaderJudge } from './view';
import { readVisiblePage } from './visible-page';

const params = Type.Object({ graph_id: GraphId });

const pairsPerRead = 200;

export const listGraphPairs = route({
  method: 'GET',
  path: '/api/v1/graphs/{graph_id}/pairs',
  audit: 'read',
  summary: 'Pairs of graph nodes that may mean the same thing, with the decisions about them.',
  description:
    'You see a pair if you may read documents that support both nodes. State, score and reasons come from decisions of people and from those documents alone.',
  params,
  query: Type.Object({
    state: Type.Optional(GraphPairState),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Only nodes of this class.' })),
    after: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4_000, description: 'The `next` value of the previous page.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  }),
  replies: { 200: GraphPairs },
  errors: ['GRAPH_NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  handler: async ({ params: { graph_id }, query: { after, limit = 20, state, label }, ...context }) => {
    requireCorpus(await read(graphPolicy, graph_id, context));
    const graph = await authorize(graphPolicy, 'askCorpus', graph_id, context);
    const view = openFactsView(graph, context);
    const judge = createReaderJudge(graph, view, context);
    // The stored states follow from what the owner may read; for other readers, any pair may have any state.
    const isOwner = graph.owner === context.user.username;
    const filter = { ...(label === undefined ? {} : { label }), ...(isOwner && state ? { state } : {}) };
    const { cursors } = context.services.graphs;
    const place = `graphs/${graph.id}/pairs/${context.user.username}`;
    const page = { ...(after === undefined ? {} : { after }), limit, itemsPerRead: pairsPerRead, cursors, place };
    const { items, next } = await readVisiblePage(page, {
      read: (some) => context.services.graphs.pairs.list(graph.id, filter, some),
      getKey: ({ key }) => key,
      show: async (pairs) => {
        const described = await describePairs(judge, view, pairs.map(({ pair }) => pair)); // prettier-ignore
        return new Map(
          pairs.flatMap((item) => {
            const reply = described.get(item.pair);
            return reply && (state ?? reply.state) === reply.state ? [[item, reply] as const] : [];
          }),
        );
      },
    });
    const pairs = await addDocumentNames(items, graph, context);
    return { pairs, next };
  },
});

export const decideGraphPairs = route({
  method: 'POST',
  path: '/api/v1/graphs/{graph_id}/pairs',
  summary: 'Decides which nodes of a graph of a corpus mean the same thing, for its owner.',
  description:
    'Takes effect at once, for all readers, and holds for documents that come later; rules and models do not change it. `different` and `open` undo a merge.',
  params,
  body: GraphDecisions,
  replies: { 200: GraphDecided },
  errors: ['GRAPH_NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'NOT_FOUND', 'VALIDATION_ERROR'],
  handler: async ({ params: { graph_id }, body: { decisions }, ...context }) => {
    requireCorpus(await read(graphPolicy, graph_id, context));
    const graph = await authorize(graphPolicy, 'configure', graph_id, context);
    const facts = await openFactsView(graph, context).nodes([...new Set(decisions.flatMap(({ nodes }) => nodes))]);
    const labels = new Map(facts.map(({ node, label }) => [node, label]));
    const pairs = decisions.map(({ nodes, state }) => ({ ...buildPair(nodes, labels), state }));
    for (const pair of pairs) await context.services.graphs.pairs.decide(graph.id, { ...pair, score: 1, by: 'person' });
    return { decided: pairs.length };
  },
});

/** The pair of two nodes that the user may see and that are of one class. */
function buildPair(
  nodes: readonly string[],
  labels: ReadonlyMap<string, string>,
): Pick<EntityPair, 'one' | 'other' | 'label'> {
  const missing = nodes.find((id) => !labels.has(id));
  if (missing !== undefined)
    throw new AppError('NOT_FOUND', `The graph has no node '${missing}' that you may see.`, {
      target: { type: 'field', name: 'decisions' },
    });
  const [first = '', second = ''] = nodes;
  const [one, other] = orderPair(first, second);
  const [label = '', otherLabel] = [labels.get(one), labels.get(other)];
  if (one !== other && label === otherLabel) return { one, other, label };
  const input = one === other ? 'one node twice' : `a ${label} and a ${otherLabel}`;
  throw new AppError('VALIDATION_ERROR', `A pair is two nodes of one class; this one is ${input}.`, {
    target: { type: 'field', name: 'decisions' },
  });
}

/** The pairs whose nodes the reader may both see and that are candidates for this reader, judged by what the reader may read. */
async function describePairs(
  judge: PairJudge,
  view: GraphView,
  pairs: readonly EntityPair[],
): Promise<Map<EntityPair, GraphPair>> {
  const judged = await judge(pairs);
  const ids = [...new Set(judged.flatMap(({ pair: { one, other } }) => [one, other]))];
  const nodes = new Map(foldNodes(await view.nodes(ids)).map((node) => [node.id, toNodeReply(node)]));
  const replies = new Map<EntityPair, GraphPair>();
  for (const { pair, state, by: decided_by, score, reasons } of judged) {
    const [left, right] = [nodes.get(pair.one), nodes.get(pair.other)];
    if (!left || !right) continue;
    // The time of the rules would reveal when a document came that the reader may not read.
    const decided_at = decided_by === 'rules' ? null : pair.decidedAt;
    replies.set(pair, { nodes: [left, right], state, decided_by, decided_at, score, reasons });
  }
  return replies;
}
