/**
 * Normalized discounted cumulative gain of the first `depth` results: 2^gain − 1 over log2 of the rank plus 1, divided by that of
 * the best order. 0 without relevant results.
 */
export function computeNdcg(ranking: readonly string[], relevant: ReadonlyMap<string, number>, depth: number): number {
  const gained = discountGains(ranking.slice(0, depth).map((document) => relevant.get(document) ?? 0));
  const best = [...relevant.values()].toSorted((value, other) => other - value).slice(0, depth);
  return best.length === 0 ? 0 : gained / discountGains(best);
}

function discountGains(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + (2 ** gain - 1) / Math.log2(index + 2), 0);
}
