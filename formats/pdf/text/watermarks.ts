import { median, overlapX, overlapY } from '../geometry/box';
import type { Line } from './line';

/** A watermark is larger than the text by this factor, and lies under so many lines of as many words at least. */
const least = { factor: 2, lines: 2, words: 4 };

/** Large words over which lines of the text are printed, such as DRAFT: among the lines of a page and those across it. */
export function findWatermarks(lines: readonly Line[], aside: readonly Line[]): Set<Line> {
  const usual = median(lines.map(({ size }) => size));
  const running = lines.filter(({ words, size }) => words.length >= least.words && size < 1.5 * usual);
  const isMark = (mark: Line) =>
    mark.size >= least.factor * usual &&
    running.filter((line) => overlapX(line.box, mark.box) > 0 && overlapY(line.box, mark.box) > 0.5 * line.size)
      .length >= least.lines;
  return new Set([...lines, ...aside].filter(isMark));
}
