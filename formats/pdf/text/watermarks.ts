import { computeMedian, measureOverlapX, measureOverlapY } from '../geometry/box';
import type { Line } from './line';

/** Least ratio of watermark to text size, and least number of lines over it and of words in each. */
const minimum = { factor: 2, lines: 2, words: 4 };

/** Finds large words printed under lines of text, such as DRAFT, in the lines of the page and the rotated ones. */
export function findWatermarks(lines: readonly Line[], aside: readonly Line[]): Set<Line> {
  const typicalSize = computeMedian(lines.map(({ size }) => size));
  const running = lines.filter(({ words, size }) => words.length >= minimum.words && size < 1.5 * typicalSize);
  const isMark = (mark: Line) =>
    mark.size >= minimum.factor * typicalSize &&
    running.filter(
      (line) => measureOverlapX(line.box, mark.box) > 0 && measureOverlapY(line.box, mark.box) > 0.5 * line.size,
    ).length >= minimum.lines;
  return new Set([...lines, ...aside].filter(isMark));
}
