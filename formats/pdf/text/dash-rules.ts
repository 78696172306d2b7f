import type { Rule } from '../geometry/page';
import type { Line } from './line';

/** A row of at least this many dashes is a ruling of a typewritten table. */
const minDashes = 20;
const dashes = /^(?:-+|=+|_+)$/;

/** Separates rulings typed as a row of dashes from the lines with words. */
export function takeDashRules(lines: readonly Line[]): { lines: Line[]; rules: Rule[] } {
  const isRule = ({ text }: Line) => text.length >= minDashes && dashes.test(text.replaceAll(' ', ''));
  const typed = lines.filter(isRule);
  const rules = typed.map(({ box, baseline, size }): Rule => ({
    axis: 'h',
    at: baseline + 0.3 * size,
    from: box.l,
    to: box.r,
  }));
  return typed.length === 0 ? { lines: [...lines], rules } : { lines: lines.filter((line) => !isRule(line)), rules };
}
