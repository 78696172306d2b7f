import { measureOverlapX } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Block, PlacedBlock } from '../layout/part';

/** Fewer blocks below each other may be a heading of several lines, such as the part, number and title of a chapter. */
const minLines = 4;
/** A style of headings has text below most of them. */
const maxStacked = 0.5;
/** Baselines of stacked lines, and those of a heading and the paragraph below it, are at most this far apart, in type sizes. */
const farthest = { line: 2, paragraph: 5 };

/**
 * Blocks that are set like headings but are text in larger type, such as an address or a programme. In their style, most blocks
 * are directly below each other with no paragraph below the last, several of them in one place. `candidates` are those that
 * nothing but their size makes headings; `getStyle` names the style of a block.
 */
export function findStackedLines(
  candidates: readonly PlacedBlock[],
  blocks: readonly PlacedBlock[],
  getStyle: (block: Block) => string,
): Set<Block> {
  const stacked = new Map<Block, number>();
  const headings = new Set(candidates.map(({ block }) => block));
  for (let start = 0, end = 0; start < blocks.length; start = end) {
    for (end = start + 1; end < blocks.length; end += 1)
      if (!isStacked(blocks[end - 1] as PlacedBlock, blocks[end] as PlacedBlock, getStyle)) break;
    const below = blocks[end];
    const isHead = below && !headings.has(below.block) && isAboveParagraph(blocks[end - 1] as PlacedBlock, below);
    if (end - start < 2 || isHead) continue;
    for (const { block } of blocks.slice(start, end)) stacked.set(block, end - start);
  }
  const styles = groupBy(candidates, ({ block }) => getStyle(block));
  return new Set(
    [...styles.values()].flatMap((group) => {
      const found = group.map(({ block }) => block).filter((block) => stacked.has(block));
      const isLong = found.some((block) => (stacked.get(block) as number) >= minLines);
      return isLong && found.length > maxStacked * group.length ? found : [];
    }),
  );
}

/** True for a block directly below one of the same style. */
function isStacked(above: PlacedBlock, below: PlacedBlock, getStyle: (block: Block) => string): boolean {
  const distance = measureDistance(above, below);
  return (
    distance > 0 && distance <= farthest.line * above.block.size && getStyle(below.block) === getStyle(above.block)
  );
}

function isAboveParagraph(above: PlacedBlock, below: PlacedBlock): boolean {
  if (below.block.lines.length < 2) return false;
  const distance = measureDistance(above, below);
  return distance > 0 && distance <= farthest.paragraph * above.block.size;
}

/** The distance between the last baseline of a block and the first of one below it; NaN if it is not below. */
function measureDistance(above: PlacedBlock, below: PlacedBlock): number {
  const [last, first] = [above.block.lines.at(-1), below.block.lines[0]];
  if (above.pageNo !== below.pageNo || !last || !first) return Number.NaN;
  return measureOverlapX(above.block.box, below.block.box) > 0 ? last.baseline - first.baseline : Number.NaN;
}
