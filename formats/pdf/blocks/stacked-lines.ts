import { groupBy } from '../geometry/group-by';
import type { Block, PlacedBlock } from '../layout/part';

/** Fewer blocks in a style may be titles. */
const minLines = 3;
/** A style of headings has text below most of them. */
const maxStacked = 0.5;

/**
 * Blocks that are set like headings but are text in larger type, such as an address or a programme: most of those in their style
 * are directly above another one. `candidates` are those that nothing but their size makes headings; `getStyle` names the style
 * of a block.
 */
export function findStackedLines(
  candidates: readonly PlacedBlock[],
  blocks: readonly PlacedBlock[],
  getStyle: (block: Block) => string,
): Set<Block> {
  const below = new Map(blocks.map((placed, index) => [placed.block, blocks[index + 1]]));
  const isStacked = ({ block, pageNo }: PlacedBlock) => {
    const next = below.get(block);
    return next?.pageNo === pageNo && getStyle(next.block) === getStyle(block);
  };
  const styles = groupBy(candidates, ({ block }) => getStyle(block));
  return new Set(
    [...styles.values()]
      .filter((group) => group.length >= minLines && group.filter(isStacked).length > maxStacked * group.length)
      .flatMap((group) => group.map(({ block }) => block)),
  );
}
