import type { PairQuery } from '../../services/graph/pair-store';
import type { GraphRecord } from '../../services/graph/store';
import { estimatePairs } from './estimate-pairs';

type Graph = Pick<GraphRecord, 'id' | 'corpus' | 'options'>;
const graphWith = (resolution: 'off' | 'rules' | 'model', backend: 'llm' | 'rules' = 'llm') =>
  ({ id: 'g', corpus: { resolution }, options: { backend } }) as Graph;

/** A graph with this many waiting pairs, pairs that the model was asked about, and documents whose nodes were not compared. */
const stored = (waiting: number, value: number, uncompared: number): Parameters<typeof estimatePairs>[0] =>
  ({
    pairs: { count: async (_id: string, { by }: PairQuery) => (by === 'model' ? value : waiting) },
    listUncompared: async () => Array.from({ length: uncompared }, String),
  }) as unknown as Parameters<typeof estimatePairs>[0];

test.each([
  ['the first update assumes a pair per document', stored(0, 0, 0), { fresh: 50, known: 0 }, 50, 3],
  ['later ones as many as before', stored(0, 20, 0), { fresh: 30, known: 10 }, 60, 3],
  ['waiting pairs are asked about too', stored(41, 0, 0), { fresh: 0, known: 10 }, 41, 3],
  ['documents that were never compared count as new ones', stored(0, 10, 80), { fresh: 10, known: 100 }, 45, 3],
  ['without new documents there are no requests', stored(0, 100, 0), { fresh: 0, known: 100 }, 0, 0],
])('%s', async (_name, store, documents, pairs, calls) => {
  const { input_tokens, ...estimate } = await estimatePairs(store, graphWith('model'), documents);
  expect(estimate).toEqual({ pairs, model_calls: calls });
  expect(input_tokens).toBe(pairs * 300 + calls * 200);
});

test('only a graph whose model decides about pairs needs requests for them', async () => {
  for (const graph of [graphWith('off'), graphWith('rules'), graphWith('model', 'rules')])
    expect(await estimatePairs(stored(5, 5, 5), graph, { fresh: 10, known: 10 })).toEqual({
      model_calls: 0,
      input_tokens: 0,
      pairs: 0,
    });
});
