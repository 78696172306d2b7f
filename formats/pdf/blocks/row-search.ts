import { groupBy } from '../geometry/group-by';
import type { PlacedBlock } from '../layout/part';

/** At most this far apart, in points, are the upper edges of blocks in a row. */
const rowReach = 2;

/**
 * True next to blocks of the same size: author names, column headers. Two bold blocks may still be headings of two columns of
 * text.
 */
export function createRowSearch(blocks: readonly PlacedBlock[]): (heading: PlacedBlock) => boolean {
  const getRow = ({ block }: PlacedBlock) => Math.floor(block.box.t / rowReach);
  const rows = groupBy(blocks, (placed) => `${placed.pageNo} ${getRow(placed)}`);
  return (heading) => {
    const { block, pageNo } = heading;
    const isBeside = ({ block: other }: PlacedBlock) =>
      other !== block &&
      other.label === undefined &&
      Math.abs(other.box.t - block.box.t) < rowReach &&
      Math.abs(other.size - block.size) < 0.6;
    const near = [-1, 0, 1].flatMap((step) => rows.get(`${pageNo} ${getRow(heading) + step}`) ?? []);
    const first = near.findIndex(isBeside);
    if (block.label !== undefined || first < 0) return false;
    return !block.bold || near.findLastIndex(isBeside) > first;
  };
}
