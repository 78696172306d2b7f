import { type Box, measureOverlapX, union } from '../geometry/box';
import { createStrips } from '../geometry/strips';
import type { Line } from '../text/line';

/** Matches the end of a sentence, also with the number of a note after it, or a tick. */
export const sentenceEnd = /[.!?:;。)"'\]✓✔✗✘][¹²³⁰⁴-⁹]*$/;

/** Code is short and indented, so consecutive lines need not overlap: they may be this many type sizes apart. */
const codeSlack = 3;

/** Consecutive lines that the next line may continue, and what they have in common. */
export interface OpenBlock {
  lines: Line[];
  box: Box;
  /** True if all lines are bold. */
  bold: boolean;
  /** The number of lines that end a sentence. */
  ends: number;
}

export interface OpenBlocks {
  /** In the order in which they were started. */
  blocks: readonly OpenBlock[];
  start(line: Line): void;
  extend(block: OpenBlock, line: Line): void;
  /** The youngest block whose last line is above the line; text beside one of `names` is not below it. */
  findAbove(line: Line, names: ReadonlySet<Line>): OpenBlock | undefined;
}

/** Blocks of the lines of one column. A search for the block above a line looks only at those that it may overlap. */
export function createOpenBlocks(lines: readonly Line[]): OpenBlocks {
  const strips = createStrips(lines.map(({ box }) => box));
  const slack = codeSlack * lines.reduce((largest, { size }) => Math.max(largest, size), 0);
  const blocks: OpenBlock[] = [];
  const positions = new Map<OpenBlock, number>();
  const addToStrips = (block: OpenBlock, line: Line) => {
    const position = positions.get(block) as number;
    if (line.mono) strips.add(position, block.box, slack);
    else strips.add(position, line.box);
  };
  return {
    blocks,
    start(line) {
      const block = { lines: [line], box: line.box, bold: line.bold, ends: sentenceEnd.test(line.text) ? 1 : 0 };
      positions.set(block, blocks.push(block) - 1);
      addToStrips(block, line);
    },
    extend(block, line) {
      block.lines.push(line);
      block.box = union([block.box, line.box]);
      block.bold &&= line.bold;
      if (sentenceEnd.test(line.text)) block.ends += 1;
      addToStrips(block, line);
    },
    findAbove(line, names) {
      return blocks[strips.findLast(line.box, (position) => isAbove(blocks[position] as OpenBlock, line, names))];
    },
  };
}

function isAbove({ lines, box }: OpenBlock, line: Line, names: ReadonlySet<Line>): boolean {
  const last = lines.at(-1) as Line;
  if (names.has(last) && line.box.l >= last.box.r) return false;
  const above = last.mono && line.mono ? box : last.box;
  const minOverlap = last.mono ? -codeSlack * line.size : 0;
  return last.baseline > line.baseline && measureOverlapX(above, line.box) > minOverlap;
}
