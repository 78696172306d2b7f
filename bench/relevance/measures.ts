import { computeNdcg } from '../../model/search/ndcg';
import type { Collection } from './collection';

/** How well rankings answer their questions. */
export interface Relevance {
  ndcg10: number;
  recall100: number;
  mrr: number;
}

/** Means over questions; `ranking` names documents, the best first, each once. */
export function computeRelevance(
  answers: readonly { ranking: readonly string[]; relevant: ReadonlyMap<string, number> }[],
): Relevance {
  const mean = (figure: (item: (typeof answers)[number]) => number) =>
    answers.reduce((sum, answer) => sum + figure(answer), 0) / Math.max(1, answers.length);
  return {
    ndcg10: mean(({ ranking, relevant }) => computeNdcg(ranking, relevant, 10)),
    recall100: mean(({ ranking, relevant }) => recall(ranking, relevant, 100)),
    mrr: mean(({ ranking, relevant }) => reciprocalRank(ranking, relevant)),
  };
}

/** The share of the relevant documents that is among the first `depth`. */
export function recall(ranking: readonly string[], relevant: ReadonlyMap<string, number>, depth: number): number {
  const first = new Set(ranking.slice(0, depth));
  return relevant.size === 0 ? 0 : [...relevant.keys()].filter((key) => first.has(key)).length / relevant.size;
}

/** One over the rank of the first relevant document; 0 if there is none. */
export function reciprocalRank(ranking: readonly string[], relevant: ReadonlyMap<string, number>): number {
  const rank = ranking.findIndex((document) => relevant.has(document));
  return rank === -1 ? 0 : 1 / (rank + 1);
}

/** Lines that compare hybrid with text and vectors, and text with each baseline, as far as they were measured. */
export function compareRankings(figures: Readonly<Record<string, Readonly<Record<string, number>>>>): string[] {
  const { text, hybrid, vector, ...baselines } = Object.fromEntries(
    Object.entries(figures).map(([name, { ndcg10 = 0 }]) => [name, ndcg10]),
  );
  const subtract = (name: string, other: number) => {
    const difference = (hybrid ?? 0) - other;
    return `hybrid - ${name.padEnd(13)} nDCG@10 ${difference < 0 ? '' : '+'}${difference.toFixed(3)}`;
  };
  const others = Object.entries(baselines);
  return [
    ...(hybrid === undefined || text === undefined ? [] : [subtract('text', text)]),
    ...(hybrid === undefined || vector === undefined ? [] : [subtract('vector', vector)]),
    ...(text === undefined
      ? []
      : others.map(([name, ndcg10]) => `text / ${name.padEnd(20)} nDCG@10 ${(text / ndcg10).toFixed(2)}`)),
  ];
}

/** The collection with each nth question only, from the first. */
export function takeEvery(collection: Collection, every: number): Collection {
  return { ...collection, questions: collection.questions.filter((_, position) => position % every === 0) };
}
