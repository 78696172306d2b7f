import { groupBy } from '../geometry/group-by';
import type { PlacedBlock } from '../layout/part';

/** The pages without headings by weight: those set in bold throughout, in a document that mostly is. */
export function findBoldPages(blocks: readonly PlacedBlock[]): Set<number> {
  const length = (list: readonly PlacedBlock[]) => list.reduce((sum, { block }) => sum + block.text.length, 0);
  const isBold = (list: readonly PlacedBlock[]) => length(list.filter(({ block }) => block.bold)) > 0.5 * length(list);
  if (!isBold(blocks)) return new Set();
  const pages = groupBy(blocks, ({ pageNo }) => pageNo);
  return new Set([...pages].flatMap(([pageNo, list]) => (isBold(list) ? [pageNo] : [])));
}
