import { type Box, computeMedian, union } from '../geometry/box';
import type { Line } from '../text/line';

/** True for running text: several words per line, most lines full, and many sentences that continue on the next line. */
export function isFilledText(lines: readonly Line[]): boolean {
  if (lines.length < 4) return false;
  if (computeMedian(lines.map(({ words }) => words.length)) < 3) return false;
  const box: Box = union(lines.map((line) => line.box));
  const full = lines.filter((line) => line.box.r > box.r - 0.2 * (box.r - box.l)).length;
  const flowing = lines.filter(
    ({ text }, index) => index > 0 && /^\p{Ll}/u.test(text) && /[\p{L},-]$/u.test((lines[index - 1] as Line).text),
  ).length;
  return flowing >= 0.4 * (lines.length - 1) || (full >= 0.7 * lines.length && flowing >= 0.2 * lines.length);
}
