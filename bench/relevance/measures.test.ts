import { computeNdcg } from '../../model/search/ndcg';
import { compareRankings, computeRelevance, recall, reciprocalRank, takeEvery } from './measures';

const relevant = new Map([
  ['best', 3],
  ['good', 1],
]);

test('the best order scores 1, no relevant document 0', () => {
  expect(computeNdcg(['best', 'good', 'none'], relevant, 10)).toBe(1);
  expect(computeNdcg(['none', 'other'], relevant, 10)).toBe(0);
});

test('gains count 2^gain − 1, less at lower ranks', () => {
  const best = 7 + 1 / Math.log2(3);
  expect(computeNdcg(['good', 'best'], relevant, 10)).toBeCloseTo((1 + 7 / Math.log2(3)) / best);
  expect(computeNdcg(['none', 'best'], relevant, 1)).toBe(0);
});

test('recall is the share of relevant hits, the reciprocal rank is that of the first', () => {
  expect(recall(['none', 'good'], relevant, 2)).toBe(0.5);
  expect(reciprocalRank(['none', 'good', 'best'], relevant)).toBe(0.5);
  expect(reciprocalRank([], relevant)).toBe(0);
});

test('figures are means over questions', () => {
  const { mrr, recall100 } = computeRelevance([
    { ranking: ['best', 'good'], relevant },
    { ranking: ['none'], relevant },
  ]);
  expect(mrr).toBe(0.5);
  expect(recall100).toBe(0.5);
});

test('hybrid is compared with its parts, and text with baselines', () => {
  const figures = { bm25: { ndcg10: 0.4 }, text: { ndcg10: 0.44 }, vector: { ndcg10: 0.5 }, hybrid: { ndcg10: 0.43 } };
  expect(compareRankings(figures)).toEqual([
    'hybrid - text          nDCG@10 -0.010',
    'hybrid - vector        nDCG@10 -0.070',
    'text / bm25                 nDCG@10 1.10',
  ]);
  expect(compareRankings({ hybrid: { ndcg10: 0.43 } })).toEqual([]);
});

test('each nth question is taken from the first', () => {
  const questions = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id, relevant }));
  const { questions: taken } = takeEvery({ name: 'four', documents: [], questions }, 2);
  expect(taken.map(({ id }) => id)).toEqual(['a', 'c']);
});
