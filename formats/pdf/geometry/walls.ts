import { type Box, union } from './box';
import type { Rule } from './page';
import { getRuleBox } from './rulings';

/** Share of the width of the text that a wall covers, and the most of them: squared paper has more. */
const walls = { share: 0.85, most: 100 };

/** The rulings over nearly the whole width of the lines, tables and pictures of a page that are in none of them. */
export function listWalls(rules: readonly Rule[], placed: readonly Box[]): Box[] {
  if (placed.length === 0) return [];
  const { l, r } = union(placed);
  const long = rules
    .filter(({ axis }) => axis === 'h')
    .filter(({ from, to }) => Math.min(to, r) - Math.max(from, l) > walls.share * (r - l));
  if (long.length > walls.most) return [];
  return long.filter(({ at }) => !placed.some(({ b, t }) => b < at - 1 && t > at + 1)).map(getRuleBox);
}
