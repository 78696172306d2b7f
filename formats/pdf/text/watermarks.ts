import { median, overlapX, overlapY } from '../geometry/box';
import type { Line } from './line';

/** Least ratio of watermark to text size, and least number of lines over it and of words in each. */
const least = { factor: 2, lines: 2, words: 4 };

/** Finds large words printed under lines of text, such as DRAFT, in the lines of the page and the rotated ones. */
export function findWatermarks(lines: readonly Line[], aside: readonly Line[]): Set<Line> {
  const usual = median(lines.map(({ size }) => size));
  const running = lines.filter(({ words, size }) => words.length >= least.words && size < 1.5 * usual);
  const isMark = (mark: Line) =>
    mark.size >= least.factor * usual &&
    running.filter((line) => overlapX(line.box, mark.box) > 0 && overlapY(line.box, mark.box) > 0.5 * line.size)
      .length >= least.lines;
  return new Set([...lines, ...aside].filter(isMark));
}
