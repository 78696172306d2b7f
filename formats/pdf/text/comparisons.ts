import type { Rule } from '../geometry/page';
import type { Line } from './line';

/**
 * The stroke of an underlined sign: its distance from the baseline in type sizes, and its length as a multiple of the sign's
 * width.
 */
const stroke = { below: 0.3, above: 0.1, longest: 1.5, min: 0.6 };

/** Reads an underlined `<` or `>` as less than or equal, or greater than or equal. */
export function readComparisons(lines: readonly Line[], rules: readonly Rule[]): void {
  for (const line of lines) {
    const signs = line.words.filter(({ text }) => text === '<' || text === '>');
    for (const word of signs) {
      const wide = word.box.r - word.box.l;
      const isStruck = rules.some(
        ({ axis, at, from, to }) =>
          axis === 'h' &&
          at - line.baseline > -stroke.below * word.size &&
          at - line.baseline < stroke.above * word.size &&
          to - from < stroke.longest * wide &&
          Math.min(to, word.box.r) - Math.max(from, word.box.l) > stroke.min * wide,
      );
      if (isStruck) word.text = word.text === '<' ? '≤' : '≥';
    }
    if (signs.length > 0) line.text = line.words.map(({ text }) => text).join(' ');
  }
}
